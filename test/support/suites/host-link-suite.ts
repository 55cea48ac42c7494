import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MgrError } from "../../../src/base/errors.ts";
import type { HostLink } from "../../../src/contract/host-link.ts";
import {
  CONTRACT_VERSION,
  HEARTBEAT_LOST_MS,
  type HostEvent,
  type HostHeartbeat,
  MAX_CHUNK_BYTES,
  MAX_MESSAGE_BYTES,
  type OutputChunk,
  type RequestOf,
} from "../../../src/contract/messages.ts";
import { pagesOf } from "../../../src/contract/pages.ts";
import type { RunReport, RunSpec } from "../../../src/contract/run.ts";
import { spec as hostSpec, reportedBy } from "../../daemon/support/hosts.ts";

/** A link to a living host whose clock the test can move, and the end of both. */
export interface OpenLink extends AsyncDisposable {
  readonly link: HostLink;
  /** Lets the host's clock pass; resolves when what that caused has arrived. */
  pass(milliseconds: number): Promise<void>;
  /** Resolves when everything that was sent in both directions before has arrived. */
  settle(): Promise<void>;
}

/** What a manager may rely on, whatever carries the link: run it for each implementation of `HostLink`. */
export function describeHostLink(name: string, open: () => Promise<OpenLink>): void {
  describe(`the link to a host, ${name}`, () => {
    let opened: OpenLink;
    let manager: Manager;
    beforeEach(async () => {
      opened = await open();
      manager = new Manager(opened.link);
      await manager.hello();
      manager.beat();
    });
    afterEach(async () => {
      manager.hush();
      await opened[Symbol.asyncDispose]();
    });

    it("greets with contract, pid, stream_id, boot_id and a session of its own for each hello", async () => {
      const first = await manager.hello();
      const second = await manager.hello();
      expect(second).toMatchObject({ contract: CONTRACT_VERSION, stream_id: first.stream_id, boot_id: first.boot_id, pid: first.pid });
      expect(first.pid).toBeGreaterThan(0);
      expect(second.session).not.toBe(first.session);
    });

    it("refuses every command of a session that is not the newest", async () => {
      const old = manager.session;
      await manager.hello();
      manager.session = old;
      const run_id = "1-1";
      const refused = [
        manager.spawn("p", "sleep 60"),
        manager.ask("stop", { run_id, steps: [{ signal: "SIGTERM", timeout_ms: 1 }] }),
        manager.ask("stop_runs", { stops: [{ run_id, steps: [{ signal: "SIGTERM", timeout_ms: 1 }] }] }),
        manager.ask("signal", { run_id, signal: "SIGTERM" }),
        manager.ask("write", { run_id, text: "x" }),
        manager.ask("resize", { run_id, rows: 1, cols: 1 }),
        manager.ask("memo", { run_id, memo: "" }),
        manager.ask("startup_commands", { spec: spec("p", "true") }),
        manager.ask("tail", { name: "p", lines: 1 }),
        manager.ask("read", { name: "p", from: 0, max: 1 }),
        manager.ask("report", { after: null }),
      ];
      for (const outcome of await Promise.allSettled(refused)) expect(outcome).toMatchObject({ reason: { code: "stale_session" } });
    });

    it("refuses a request of a wrong shape, and names the field", async () => {
      await expect(manager.ask("tail", { name: "p", lines: 0 })).rejects.toMatchObject({
        code: "bad_field",
        message: expect.stringContaining("lines"),
      });
    });

    it("ends a session after 6 s without the manager's heartbeat, not before, and reports that", async () => {
      manager.hush();
      for (let beat = 0; beat < 3; beat++) {
        // The host's clock also runs by itself: until the heartbeat has arrived there is time left.
        await opened.pass(HEARTBEAT_LOST_MS - 3_000);
        manager.link.heartbeat(manager.session);
        await opened.settle();
      }
      await manager.ask("report", { after: null });
      await opened.pass(HEARTBEAT_LOST_MS + 500);
      await expect(manager.ask("report", { after: null })).rejects.toMatchObject({ code: "stale_session" });
      await manager.until(() => manager.heartbeats.at(-1)?.session === null);
      await manager.hello();
      await manager.ask("report", { after: null });
    });

    it("refuses requests that do not fit the contract with bad_field", async () => {
      await expect(manager.ask("resize", { run_id: "1-1", rows: 0, cols: 80 })).rejects.toMatchObject({ code: "bad_field" });
      await expect(manager.ask("report", { after: 5 as unknown as null })).rejects.toMatchObject({ code: "bad_field" });
      await expect(manager.ask("signal", { run_id: "none", signal: "SIGTERM" })).rejects.toMatchObject({ code: "bad_field" });
    });

    it("starts a run once, however often its spawn is sent", async () => {
      const [first, second] = await Promise.all([manager.spawn("p", "sleep 60", "1-1"), manager.spawn("p", "sleep 60", "1-1")]);
      const third = await manager.spawn("p", "sleep 60", "1-1");
      expect([second.pid, third.pid]).toEqual([first.pid, first.pid]);
      await opened.settle();
      expect(manager.events.filter((event) => event.kind === "spawned")).toHaveLength(1);
    });

    it("refuses a second run of a living name with conflict, and returns the living one", async () => {
      const run = await manager.spawn("p", "sleep 60", "1-1");
      const refused = manager.spawn("p", "sleep 60", "1-2");
      await expect(refused).rejects.toBeInstanceOf(MgrError);
      await expect(refused).rejects.toMatchObject({ code: "conflict", details: { run: { run_id: "1-1", pid: run.pid } } });
    });

    it("creates the commands that start a process by hand, from its own environment and files", async () => {
      const folder = mkdtempSync(join(tmpdir(), "mgr-by-hand-"));
      try {
        writeFileSync(join(folder, "some.env"), "FROM_FILE=a b\n");
        writeFileSync(join(folder, "large.env"), `LARGE=${"x".repeat(MAX_MESSAGE_BYTES)}\n`);
        const asked = { ...spec("p", "sleep 1"), cwd: "below", base_dir: folder, env_files: ["some.env"] };
        const { commands } = await manager.ask("startup_commands", { spec: asked });
        expect(commands[0]).toBe(`cd ${folder}/below`);
        expect(commands).toContain("export FROM_FILE='a b'");
        expect(commands.find((line) => line.startsWith("export PATH="))).toContain(process.env.PATH);
        expect(commands.at(-1)).toBe("/bin/sh -c 'sleep 1'");
        for (const [file, code] of [
          ["missing.env", "spawn_failed"],
          ["large.env", "too_large"],
        ])
          await expect(manager.ask("startup_commands", { spec: { ...asked, env_files: [file ?? ""] } })).rejects.toMatchObject({ code });
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    it("reports why a program could not be started", async () => {
      const spawn = manager.spawnSpec({ ...spec("p", ""), program: { kind: "exec", argv: ["/no/such/program"] } });
      await expect(spawn).rejects.toMatchObject({ code: "spawn_failed", message: expect.stringContaining("/no/such/program") });
    });

    it("stops a run to extinction, step by step, and answers once that was accepted", async () => {
      const run = await manager.spawn("p", "trap 'echo no' TERM; echo armed; while :; do sleep 0.05; done");
      manager.watch("p");
      await manager.said("p", /armed/);
      await manager.ask("stop", {
        run_id: run.run_id,
        steps: [
          { signal: "SIGTERM", timeout_ms: 60_000 },
          { signal: "SIGKILL", timeout_ms: 60_000 },
        ],
      });
      await manager.event(run, "stopping");
      await manager.said("p", /no/);
      // The session is kept meanwhile.
      for (let passed = 0; passed < 60_000; passed += 2_000) {
        manager.link.heartbeat(manager.session);
        await opened.settle();
        await opened.pass(2_000);
      }
      const { run: end } = await manager.event(run, "extinct");
      expect(end).toMatchObject({ extinct: true, stopping: true, exit: { signal: "SIGKILL" } });
      await expect(manager.ask("signal", { run_id: run.run_id, signal: "SIGTERM" })).rejects.toMatchObject({ code: "not_running" });
    });

    it("stops many runs by one request: each is accepted, without an event, or refused by itself", async () => {
      const names = ["a", "b", "c"];
      const runs: RunReport[] = [];
      for (const name of names) runs.push(await manager.spawn(name, "exec sleep 60"));
      const [ended] = runs;
      await manager.ask("stop", { run_id: ended?.run_id ?? "", steps: [{ signal: "SIGKILL", timeout_ms: 5_000 }] });
      await manager.event(runs[0] as RunReport, "extinct");
      const steps = [{ signal: "SIGTERM", timeout_ms: 5_000 }];
      const [, wrong, stopped] = runs.map(({ run_id }) => run_id);
      const { refused } = await manager.ask("stop_runs", {
        stops: [
          { run_id: ended?.run_id ?? "", steps },
          { run_id: "9-9", steps },
          { run_id: wrong ?? "", steps: [{ signal: "SIGNONE", timeout_ms: 1 }] },
          { run_id: stopped ?? "", steps, wanted: false },
        ],
      });
      expect(refused).toEqual([
        { run_id: ended?.run_id, code: "not_running", message: expect.stringContaining("has ended") },
        { run_id: "9-9", code: "not_running", message: expect.stringContaining("9-9") },
        { run_id: wrong, code: "bad_field", message: expect.stringContaining("SIGNONE") },
      ]);
      await manager.event(runs[2] as RunReport, "extinct");
      expect(manager.events.filter(({ run }) => run.name === "c").map(({ kind }) => kind)).not.toContain("stopping");
      const { runs: table } = await manager.ask("report", { after: null });
      expect(table.map(({ stopping, extinct }) => [stopping, extinct])).toEqual([
        [true, true],
        [false, false],
        [true, true],
      ]);
      await manager.ask("stop", { run_id: wrong ?? "", steps: [{ signal: "SIGKILL", timeout_ms: 5_000 }] });
      await manager.event(runs[1] as RunReport, "extinct");
    });

    it("delivers signals", async () => {
      const run = await manager.spawn("p", "trap 'echo hup' HUP; echo armed; while :; do sleep 0.05; done");
      manager.watch("p");
      await manager.said("p", /armed/);
      await manager.ask("signal", { run_id: run.run_id, signal: "SIGHUP" });
      await manager.said("p", /hup/);
    });

    it("carries out commands in the order in which they were called, without waiting for answers", async () => {
      const run = await manager.spawn("p", "stty -echo; echo armed; exec cat");
      manager.watch("p");
      await manager.said("p", /armed/);
      const lines = Array.from({ length: 50 }, (_, n) => `line ${n}\n`);
      await Promise.all(lines.map((text) => manager.ask("write", { run_id: run.run_id, text })));
      await manager.said("p", /line 49\r\n/);
      expect(manager.output("p").replaceAll("\r\n", "\n")).toContain(lines.join(""));
    });

    it("resizes the terminal as the program sees it, and reports the size", async () => {
      const run = await manager.spawn("p", "read line; stty size; sleep 60");
      manager.watch("p");
      await Promise.all([
        manager.ask("resize", { run_id: run.run_id, rows: 41, cols: 133 }),
        manager.ask("write", { run_id: run.run_id, text: "go\n" }),
      ]);
      await manager.said("p", /41 133/);
      expect((await manager.report()).get("p")).toMatchObject({ rows: 41, cols: 133 });
    });

    it("keeps the memo of the manager with a run", async () => {
      const run = await manager.spawn("p", "sleep 60");
      await manager.ask("memo", { run_id: run.run_id, memo: '{"restarts":3,"grün":"ü"}' });
      expect((await manager.report()).get("p")?.memo).toBe('{"restarts":3,"grün":"ü"}');
    });

    it("finds the last lines of a ring and reads bytes from any offset of it", async () => {
      const run = await manager.spawn("p", "printf 'one\\ntwo\\n\\377\\000three\\n'");
      const { run: end } = await manager.event(run, "exited");
      const tail = await manager.ask("tail", { name: "p", lines: 2 });
      expect(tail).toMatchObject({ pid: run.pid, until: end.final_offset, truncated: false });
      const { from, data } = await manager.ask("read", { name: "p", from: tail.from, max: 1_000 });
      expect(from).toBe(tail.from);
      expect(Buffer.from(data).toString("latin1")).toBe("two\r\n\u00ff\u0000three\r\n");
      const some = await manager.ask("read", { name: "p", from: tail.from + 1, max: 2 });
      expect(Buffer.from(some.data).toString("latin1")).toBe("wo");
      expect(await manager.ask("tail", { name: "never ran", lines: 5 })).toMatchObject({ pid: 0, from: 0, until: 0 });
    });

    it("sends no output without a window, and never a byte beyond it", async () => {
      const run = await manager.spawn("p", "yes | head -c 300000");
      await manager.event(run, "extinct");
      expect(manager.chunks).toEqual([]);
      manager.window({ name: "p", from: 0, length: 200_000 });
      await manager.until(() => manager.output("p").length >= 200_000);
      await opened.settle();
      expect(manager.output("p")).toHaveLength(200_000);
      for (const chunk of manager.chunks) expect(chunk.data.length).toBeLessThanOrEqual(MAX_CHUNK_BYTES);
      let next = 0;
      for (const chunk of manager.chunks) {
        expect(chunk.offset).toBe(next);
        next += chunk.data.length;
      }
      manager.window({ name: "p", from: 200_000, length: 1_000 });
      await manager.until(() => manager.output("p").length >= 201_000);
      await opened.settle();
      expect(manager.output("p")).toHaveLength(201_000);
    });

    it("answers a window without start with the end of the ring, then sends new output", async () => {
      const run = await manager.spawn("p", "echo before; read line; echo after; sleep 60");
      manager.watch("p");
      await manager.said("p", /before\r\n/);
      manager.window({ name: "p", from: 0, length: 0 });
      manager.chunks.length = 0;
      manager.window({ name: "p", from: null, length: 10_000 });
      await manager.until(() => manager.chunks.length > 0);
      expect(manager.chunks[0]).toMatchObject({ name: "p", offset: "before\r\n".length, gap: 0 });
      expect(manager.chunks[0]?.data).toHaveLength(0);
      await manager.ask("write", { run_id: run.run_id, text: "x\n" });
      await manager.said("p", /after/);
      expect(manager.output("p")).not.toContain("before");
    });

    it("sends nothing after a window was closed", async () => {
      const run = await manager.spawn("p", "stty -echo; echo armed; while read line; do echo $line; done");
      manager.watch("p");
      await manager.said("p", /armed/);
      manager.window({ name: "p", from: 0, length: 0 });
      await opened.settle();
      await manager.ask("write", { run_id: run.run_id, text: "unseen\n" });
      await manager.ask("signal", { run_id: run.run_id, signal: "SIGKILL" });
      await manager.event(run, "extinct");
      await opened.settle();
      expect(manager.output("p")).not.toContain("unseen");
    });

    it("declares evicted bytes as a gap", async () => {
      const run = await manager.spawnSpec({ ...spec("p", "yes | head -c 200000"), terminal: { rows: 24, cols: 80, backlog: 4_096 } });
      const { run: end } = await manager.event(run, "extinct");
      manager.watch("p");
      await manager.until(() => manager.chunks.some((chunk) => chunk.offset + chunk.data.length === end.final_offset));
      const [gap, ...rest] = manager.chunks;
      expect(gap).toMatchObject({ offset: 0 });
      expect(gap?.gap).toBeGreaterThan(0);
      expect(rest[0]?.offset).toBe(gap?.gap);
    });

    it("numbers its events without a gap, in the order in which they happened", async () => {
      const run = await manager.spawn("p", "exit 7");
      await manager.event(run, "extinct");
      const again = await manager.spawn("p", "exit 0");
      await manager.event(again, "extinct");
      expect(manager.events.map((event) => event.seq)).toEqual(manager.events.map((_, index) => index + 1));
      expect(manager.events.filter((event) => event.run.run_id === run.run_id).flatMap(reportedBy)).toEqual([
        "spawned",
        "exited",
        "extinct",
      ]);
      expect(manager.events.find((event) => event.kind === "exited")?.run.exit).toEqual({ code: 7, signal: null, reason: null });
    });

    it("latches readiness once the program prints its ready line", async () => {
      const run = await manager.spawnSpec({ ...spec("p", "echo listening; sleep 60"), ready: { kind: "regex", pattern: "^listening" } });
      expect((await manager.event(run, "ready")).run.ready).toBe(true);
    });

    it("reports the whole run table in pages, however large it is", async () => {
      const names = Array.from({ length: 40 }, (_, n) => `group/p${String(n).padStart(2, "0")}`);
      // Memos of the greatest size: together larger than a message may be if there were more of them.
      const memo = "m".repeat(4_096);
      const runs = await Promise.all(names.map((each, n) => manager.spawnSpec(spec(each, "true"), `1-${n + 1}`, memo)));
      await Promise.all(runs.map((run) => manager.event(run, "extinct")));
      const table = await manager.report();
      expect([...table.keys()]).toEqual(names);
      expect([...table.values()].every((run) => run.extinct && run.memo === memo)).toBe(true);
    });

    it("sends the seq of the last event in each heartbeat", async () => {
      const run = await manager.spawn("p", "true");
      await manager.event(run, "extinct");
      const before = manager.heartbeats.length;
      await opened.pass(2_000);
      await manager.until(() => manager.heartbeats.length > before);
      expect(manager.heartbeats.at(-1)).toMatchObject({
        host: manager.link.host,
        session: manager.session,
        seq: manager.events.at(-1)?.seq,
      });
    });

    it("sends nothing to a listener that was removed", async () => {
      const heard: HostEvent[] = [];
      const unsubscribe = manager.link.listen({ onEvent: (event) => heard.push(event) });
      unsubscribe();
      await manager.event(await manager.spawn("p", "true"), "extinct");
      expect(heard).toEqual([]);
    });
  });
}

/** With a ring that holds what these tests write. */
function spec(name: string, line: string): RunSpec {
  return hostSpec(name, line, { terminal: { rows: 24, cols: 80, backlog: 1024 * 1024 } });
}

type Asked = "stop" | "stop_runs" | "signal" | "write" | "resize" | "memo" | "tail" | "read" | "report" | "startup_commands";
type WithoutSession<N extends Asked> = Omit<RequestOf<N>, "session">;

/** A manager's end: its session, and everything that the host told it. */
export class Manager {
  readonly link: HostLink;
  readonly events: HostEvent[] = [];
  readonly heartbeats: HostHeartbeat[] = [];
  readonly chunks: OutputChunk[] = [];
  session = "";
  #runs = 0;
  #heart?: NodeJS.Timeout;
  readonly #waiting = new Set<() => void>();

  constructor(link: HostLink) {
    this.link = link;
    const note =
      <T>(list: T[]) =>
      (item: T) => {
        list.push(item);
        for (const check of this.#waiting) check();
      };
    link.listen({ onEvent: note(this.events), onHeartbeat: note(this.heartbeats), onOutput: note(this.chunks) });
  }

  async hello() {
    const answer = await this.link.request("hello", { epoch: 1, manager_pid: process.pid, contracts: [CONTRACT_VERSION] });
    this.session = answer.session;
    return answer;
  }

  /** Keeps its session however long a test takes, until `hush`. */
  beat(): void {
    this.#heart = setInterval(() => this.link.heartbeat(this.session), 500);
  }

  hush(): void {
    clearInterval(this.#heart);
  }

  ask<N extends Asked>(name: N, request: WithoutSession<N>) {
    return this.link.request(name, { session: this.session, ...request } as RequestOf<N>);
  }

  spawn(name: string, line: string, runId?: string): Promise<RunReport> {
    return this.spawnSpec(spec(name, line), runId);
  }

  async spawnSpec(runSpec: RunSpec, runId = `1-${++this.#runs}`, memo = ""): Promise<RunReport> {
    return (await this.link.request("spawn", { session: this.session, run_id: runId, spec: runSpec, memo })).run;
  }

  async report(): Promise<Map<string, RunReport>> {
    const runs = new Map<string, RunReport>();
    for await (const page of pagesOf((after) => this.ask("report", { after }))) for (const run of page.runs) runs.set(run.name, run);
    return runs;
  }

  window(window: { name: string; from: number | null; length: number }): void {
    this.link.window({ session: this.session, windows: [window] });
  }

  watch(name: string): void {
    this.window({ name, from: 0, length: 1024 * 1024 });
  }

  output(name: string): string {
    return Buffer.concat(this.chunks.filter((chunk) => chunk.name === name).map((chunk) => chunk.data)).toString("latin1");
  }

  said(name: string, pattern: RegExp): Promise<void> {
    return this.until(() => pattern.test(this.output(name)));
  }

  async event(run: RunReport, kind: HostEvent["kind"]): Promise<HostEvent> {
    let found: HostEvent | undefined;
    await this.until(() => {
      found = this.events.find((event) => event.run.run_id === run.run_id && reportedBy(event).includes(kind));
      return found !== undefined;
    });
    return found as HostEvent;
  }

  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }
}
