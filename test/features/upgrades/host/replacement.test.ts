import { copyFileSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Broker, createBroker } from "../../../../src/bus/broker/broker.ts";
import type { Bus } from "../../../../src/bus/client/bus.ts";
import { connectBus } from "../../../../src/bus/client/connect-bus.ts";
import type { RunReport } from "../../../../src/contract/run.ts";
import { prlimit } from "../../../../src/daemon/native/libc.ts";
import { readLock } from "../../../../src/daemon/session/lock.ts";
import { builtDaemon, type Greeted, greetHost, type StartedDaemon, startDaemonProgram } from "../../../daemon/support/built-daemon.ts";
import { processesWith, uniqueSeconds, until } from "../../../support/processes.ts";

const VERSION = "9.8.7";
const RLIMIT_FSIZE = 1;

let built = "";
let folder = "";
let broker: Broker;
let bus: Bus;
let daemon: StartedDaemon;
let words: string[] = [];

beforeAll(async () => {
  built = await builtDaemon();
  writeFileSync(join(built, "package.json"), JSON.stringify({ version: VERSION }));
});
afterAll(() => rmSync(built, { recursive: true }));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "mgr-upgrade-"));
  broker = createBroker();
  await broker.listenUnix(join(folder, "bus.sock"));
  bus = await connectBus({ server: { kind: "memory", broker }, name: "test" });
  const options = { state_dir: join(folder, "state"), host: "bench", bus: { socket: join(folder, "bus.sock") }, version: "1.0.0" };
  daemon = startDaemonProgram(join(built, "dist/daemon.cjs"), options);
});
afterEach(async () => {
  daemon.daemon.kill("SIGKILL");
  await daemon.exit;
  await bus.close();
  await broker.close();
  await nothingLeft();
  words = [];
  rmSync(folder, { recursive: true });
});

async function nothingLeft(): Promise<void> {
  const left = () => words.flatMap(processesWith);
  await until(() => left().length === 0, 60_000, left);
}

/** An argument of `sleep` by which the processes of a test are found. */
function word(): string {
  const made = uniqueSeconds();
  words.push(made);
  return made;
}

const logOf = () => readFileSync(join(folder, "state/daemon.log"), "utf8");
const replacements = () => logOf().split("this program has replaced").length - 1;
const isLogged = (text: string) => until(() => logOf().includes(text), 60_000, logOf);

const replace = (manager: Greeted, target: { program?: string; node?: string } = {}) =>
  manager.request("replace_program", { program: target.program ?? null, node: target.node ?? null });

/** Replaces the program, and greets the new one. A daemon whose files of output take longer than 2 s to write refuses, and is asked again. */
async function replaced(manager: Greeted, node?: string): Promise<Greeted> {
  const before = replacements();
  const refusals = () => logOf().split("output does not accept writes").length;
  while (replacements() === before) {
    const refused = refusals();
    expect(await replace(manager, node === undefined ? {} : { node })).toEqual({ version: VERSION });
    await until(() => replacements() > before || refusals() > refused, 60_000, logOf);
  }
  return greetHost(bus, "bench");
}

async function reports(manager: Greeted): Promise<Record<string, RunReport>> {
  const { runs } = await manager.request("report", { after: null });
  return Object.fromEntries(runs.map((run) => [run.name, run]));
}

const reported = async (manager: Greeted, name: string, holds: (run: RunReport) => boolean): Promise<RunReport> => {
  for (const deadline = performance.now() + 60_000; ; ) {
    const run = (await reports(manager))[name];
    if (run !== undefined && holds(run)) return run;
    if (performance.now() > deadline) throw new Error(`after 60 s: ${JSON.stringify(run)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/** The kept output of a process, in pieces until the end, or a gap: a flood goes on meanwhile. */
async function outputOf(manager: Greeted, name: string): Promise<{ from: number; text: string }> {
  const pieces: Uint8Array[] = [];
  let [from, next] = [0, 0];
  for (;;) {
    const piece = await manager.request("read", { name, from: next, max: 256 * 1024 });
    if (pieces.length === 0) from = piece.from;
    else if (piece.from !== next || piece.data.length === 0) return { from, text: Buffer.concat(pieces).toString() };
    pieces.push(piece.data);
    next = piece.from + piece.data.length;
  }
}

/** What the descriptors of a process are open on. */
const openFiles = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return []; // Closed meanwhile.
    }
  });

/** Bytes of the lines `1\r\n` to `last\r\n`. */
function bytesUpTo(last: number): number {
  let bytes = 2 * last;
  for (let from = 1; from <= last; from *= 10) bytes += last - from + 1;
  return bytes;
}

/** Fails unless the output is that of a program that counts lines from 1, without a byte lost or written twice. */
function expectCount({ from, text }: { from: number; text: string }): number {
  const begin = from === 0 ? 0 : text.indexOf("\n") + 1;
  const lines = text
    .slice(begin, text.lastIndexOf("\n") + 1)
    .split("\r\n")
    .slice(0, -1);
  const [first = Number.NaN] = lines.map(Number);
  expect(lines.findIndex((line, index) => line !== String(first + index))).toBe(-1);
  expect(from + begin).toBe(bytesUpTo(first - 1));
  return first + lines.length - 1;
}

describe("a daemon that replaces its program", () => {
  test("keeps its processes, their output, terminals, exits, stops and trees; then it does so again, with another Node", async () => {
    let manager = await greetHost(bus, "bench");
    const { streamId } = manager;
    const type = (run: RunReport | undefined, text: string) => manager.request("write", { run_id: run?.run_id ?? "", text });
    const [tree, orphan] = [word(), word()];
    const log = join(folder, "chatty.log");
    const shell = "stty -echo; echo listening; while read line; do echo got $line; done";
    const runs = {
      flood: await manager.spawn("flood", "exec seq 1 1000000000"),
      chatty: await manager.spawn("chatty", "i=1; while :; do seq $i $((i+99)); i=$((i+100)); sleep 0.01; done", {
        terminal: { rows: 24, cols: 80, backlog: 32 * 1024 * 1024 },
        log_file: { path: log, max_size: 1024 ** 3, max_files: 1 },
      }),
      shell: await manager.spawn("shell", shell, { ready: { kind: "regex", pattern: "got ready" } }),
      tree: await manager.spawn("tree", `(setsid sleep ${orphan} &) ; exec sleep ${tree}`),
      stubborn: await manager.spawn("stubborn", `trap '' TERM; echo deaf; while :; do sleep ${word()}; done`),
      ended: await manager.spawn("ended", "exit 9"),
    };
    const exits = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => manager.spawn(`exit-${n}`, `sleep 0.${2 * n}; exit ${n}`)));
    await reported(manager, "ended", ({ extinct }) => extinct);
    for (const name of ["shell", "stubborn"])
      await until(
        () => processesWith(orphan).length > 0,
        60_000,
        () => name,
      );
    await expect.poll(async () => (await outputOf(manager, "stubborn")).text).toBe("deaf\r\n");
    await expect.poll(async () => (await outputOf(manager, "shell")).text).toBe("listening\r\n");
    await type(runs.shell, "one\n");
    await manager.request("memo", { run_id: runs.tree.run_id, memo: "a note" });
    const steps = [{ signal: "SIGTERM", timeout_ms: 2_500 }];
    await manager.request("stop", { run_id: runs.stubborn.run_id, steps });
    const before = await reports(manager);

    manager = await replaced(manager);
    expect(manager.streamId).toBe(streamId);
    expect(readFileSync(`/proc/${daemon.pid}/cmdline`, "utf8")).toContain("daemon.cjs");
    expect(await readLock(join(folder, "state/daemon.lock"))).toMatchObject({ held: true, info: { pid: daemon.pid } });
    const after = await reports(manager);
    for (const name of ["flood", "chatty", "shell", "tree", "ended"]) {
      const [{ age_ms: age = 0, ...was }, { age_ms = 0, ...is }] = [before[name] ?? ({} as RunReport), after[name] ?? ({} as RunReport)];
      expect(is).toEqual(was);
      expect(age_ms).toBeGreaterThan(age);
    }
    expect(after.tree?.memo).toBe("a note");
    for (const run of exits) {
      const { exit } = await reported(manager, run.name, ({ extinct }) => extinct);
      expect(exit).toEqual({ code: Number(run.name.slice(-1)), signal: null, reason: null });
    }
    expect((await reported(manager, "stubborn", ({ extinct }) => extinct)).exit?.signal).toBe("SIGKILL");
    await type(runs.shell, "ready\n");
    await reported(manager, "shell", ({ ready }) => ready);
    expect((await outputOf(manager, "shell")).text).toBe("listening\r\ngot one\r\ngot ready\r\n");

    const node = join(folder, "node");
    copyFileSync(process.execPath, node);
    const counted = expectCount(await outputOf(manager, "flood"));
    manager = await replaced(manager, node);
    expect(readlinkSync(`/proc/${daemon.pid}/exe`)).toBe(node);
    expect(expectCount(await outputOf(manager, "flood"))).toBeGreaterThan(counted);
    await manager.request("stop", {
      run_id: runs.tree.run_id,
      steps: [{ signal: "SIGTERM", timeout_ms: 60_000 }],
    });
    await reported(manager, "tree", ({ extinct }) => extinct);
    expect(processesWith(orphan)).toEqual([]);
    await manager.request("stop", {
      run_id: runs.chatty.run_id,
      steps: [{ signal: "SIGTERM", timeout_ms: 60_000 }],
    });
    const { final_offset: end } = await reported(manager, "chatty", ({ extinct }) => extinct);
    const { from, text } = await outputOf(manager, "chatty");
    expect(from).toBe(0);
    expectCount({ from, text });
    await expect.poll(() => statSync(log).size).toBe(end);
    expect(readFileSync(log, "utf8")).toBe(text);
    expect(daemon.errors()).toBe("");
  });

  test("under forty processes at full output loses none of it: their rings stay in the file where they are", async () => {
    let manager = await greetHost(bus, "bench");
    const names = Array.from({ length: 40 }, (_, index) => `flood-${index}`);
    const terminal = { rows: 24, cols: 80, backlog: 1024 * 1024 };
    const runs = await Promise.all(
      names.map((name) => manager.spawn(name, "stty -echo; echo 1; read go; exec seq 2 1000000000", { terminal })),
    );
    const ringFiles = () => openFiles(daemon.pid).filter((path) => path.startsWith("/memfd:mgr-output"));
    for (const name of names) await expect.poll(async () => (await outputOf(manager, name)).text, { timeout: 60_000 }).toBe("1\r\n");
    for (const { run_id } of runs) await manager.request("write", { run_id, text: "go\n" });
    await expect.poll(ringFiles, { timeout: 60_000 }).toHaveLength(1);
    manager = await replaced(manager);
    expect(ringFiles()).toHaveLength(1);
    const steps = [{ signal: "SIGKILL", timeout_ms: 60_000 }];
    for (const { run_id } of runs) await manager.request("stop", { run_id, steps });
    for (const name of names) {
      await reported(manager, name, ({ extinct }) => extinct);
      expectCount(await outputOf(manager, name));
    }
    expect(daemon.errors()).toBe("");
  });

  test("that may not write large files keeps the rest of the output in its heap, copies it, and continues if that is too large, too", async () => {
    let manager = await greetHost(bus, "bench");
    const limits = Buffer.alloc(16);
    prlimit(daemon.pid, RLIMIT_FSIZE, null, limits);
    const limitTo = (bytes: number) => {
      limits.writeBigUInt64LE(BigInt(bytes));
      expect(prlimit(daemon.pid, RLIMIT_FSIZE, limits, null)).toBe(0);
    };
    limitTo(2 * 1024 * 1024);
    await manager.spawn("long", "exec seq 1 400000", { terminal: { rows: 24, cols: 80, backlog: 16 * 1024 * 1024 } });
    await reported(manager, "long", ({ extinct }) => extinct);
    await isLogged("more output is kept in the heap, and an upgrade copies it");
    manager = await replaced(manager);
    expect(expectCount(await outputOf(manager, "long"))).toBe(400_000);

    limitTo(512 * 1024);
    expect(await replace(manager)).toEqual({ version: VERSION });
    await isLogged("was not replaced, and continues: EFBIG");
    expect(expectCount(await outputOf(manager, "long"))).toBe(400_000);
  });

  test.each(["SIGKILL", "SIGTERM"] as const)("and gets %s at that moment leaves no process without an owner", async (signal) => {
    const manager = await greetHost(bus, "bench");
    await manager.spawn("first", `sleep ${word()}`);
    await manager.spawn("second", `(setsid sleep ${word()} &); sleep ${word()}`);
    await until(
      () => words.flatMap(processesWith).length >= 3,
      60_000,
      () => words,
    );
    await replace(manager);
    await isLogged("replacing the program of this daemon");
    daemon.daemon.kill(signal);
    await daemon.exit;
    await nothingLeft();
    expect(words.flatMap(processesWith)).toEqual([]);
  });
});

/** Starts processes whose hand-over needs all fields of the state. */
async function spawnOfAllKinds(manager: Greeted): Promise<void> {
  const stubborn = await manager.spawn("stubborn", `trap '' TERM; echo deaf; while :; do sleep ${word()}; done`, {
    log_file: { path: join(folder, "stubborn.log"), max_size: 65_536, max_files: 2 },
    watch: [join(folder, "*.txt")],
    alive: { probe: { kind: "exec", program: { kind: "exec", argv: ["true"] }, interval_ms: 60_000, timeout_ms: 1_000 }, failures: 3 },
  });
  await manager.spawn("waiting", `sleep ${word()}`, { ready: { kind: "regex", pattern: "ready" } });
  await manager.spawn("ended", "exit 3");
  await expect(manager.spawn("missing", "", { program: { kind: "exec", argv: ["/no/program"] } })).rejects.toMatchObject({
    code: "spawn_failed",
  });
  await reported(manager, "ended", ({ extinct }) => extinct);
  await expect.poll(async () => (await outputOf(manager, "stubborn")).text).toBe("deaf\r\n");
  const steps = [{ signal: "SIGTERM", timeout_ms: 600_000 }];
  await manager.request("stop", { run_id: stubborn.run_id, steps });
}

/** With MGR_RECORD, keeps the state that a daemon of this version hands over: later versions have to take it over. */
function record(copy: string): void {
  const bytes = readFileSync(copy);
  const length = Number(bytes.readBigUInt64LE(8));
  const state = bytes.subarray(48, 48 + length).toString();
  const { sections } = JSON.parse(state);
  expect(Object.keys(sections)).toEqual(expect.arrayContaining(["host", "bus", "reaper", "lock", "daemon"]));
  if (process.env.MGR_RECORD === undefined) return;
  for (const { program } of sections.host.state.living) program.environment = { PATH: "/usr/bin:/bin" };
  const text = JSON.stringify({ program: "0.1.0", sections }, null, 1).replaceAll(folder, "/srv/bench").replaceAll(tmpdir(), "/tmp");
  writeFileSync(join(import.meta.dirname, "../../../fixtures/handover/version-2.json"), `${text}\n`);
}

describe("a daemon whose new program cannot take over", () => {
  test("names the reason, and goes on as before", async () => {
    const manager = await greetHost(bus, "bench");
    const run = await manager.spawn("counter", "i=1; while :; do seq $i $((i+99)); i=$((i+100)); sleep 0.01; done");
    await spawnOfAllKinds(manager);
    const copy = join(folder, "copy");
    const scripts = {
      "copies the state": `require("node:fs").writeFileSync(${JSON.stringify(copy)}, require("node:fs").readFileSync("/proc/self/fd/3"));`,
      "does not know this state": "process.stderr.write('cannot read it'); process.exit(4);",
      "says nothing": "",
      "is killed": "process.kill(process.pid, 'SIGKILL');",
    };
    for (const [name, script] of Object.entries(scripts)) {
      const program = join(folder, `${name}.cjs`);
      writeFileSync(program, script);
      await expect(replace(manager, { program })).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringMatching(
          /cannot take over from this daemon, which continues: (cannot read it|it ended with (exit code 0|SIGKILL) and without an answer)$/,
        ),
      });
    }
    await expect(replace(manager, { node: join(folder, "no-node") })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("ENOENT"),
    });
    const after = await reports(manager);
    expect(after.counter).toMatchObject({ pid: run.pid, exit: null });
    record(copy);
    expectCount(await outputOf(manager, "counter"));
    expect(replacements()).toBe(0);
  });

  test("by execve after it has accepted the state goes on as before", async () => {
    const manager = await greetHost(bus, "bench");
    const run = await manager.spawn("counter", "i=1; while :; do seq $i $((i+99)); i=$((i+100)); sleep 0.01; done");
    const node = join(folder, "node");
    // It is there for the check, and gone afterwards.
    writeFileSync(node, `#!/bin/sh\nrm "$0"\nexec ${process.execPath} "$@"\n`, { mode: 0o755 });
    expect(await replace(manager, { node })).toEqual({ version: VERSION });
    await isLogged("was not replaced, and continues: the system call execve failed with ENOENT");
    const counted = expectCount(await outputOf(manager, "counter"));
    await expect.poll(async () => expectCount(await outputOf(manager, "counter"))).toBeGreaterThan(counted);
    await manager.request("stop", {
      run_id: run.run_id,
      steps: [{ signal: "SIGTERM", timeout_ms: 60_000 }],
    });
    await reported(manager, "counter", ({ extinct }) => extinct);
    expect(replacements()).toBe(0);
  });
});
