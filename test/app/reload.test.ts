import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filter, firstValueFrom, timeout } from "rxjs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManager, type EmbeddedManager } from "../../src/app/index.ts";
import type { ManagerFrame } from "../../src/protocol/frames/frames.ts";
import type { Process, Snapshot } from "../../src/protocol/resources/resources.ts";

let folder: string;
let manager: EmbeddedManager;
const INSTANCE = { name: "t", manager: ":0" };
const LASTING = { command: "sleep 1000" };
/** Only what hangs takes so long. */
const stop = { timeout: "100s" };
/** Ends only when it is told to, and then only once this file is there. */
const slow = (file: string) => ({
  command: `trap 'until [ -e ${file} ]; do sleep 0.02; done; exit 0' TERM; echo up; while :; do sleep 0.02; done`,
  ready: { regex: "up" },
  stop,
});
/** Ends only when it is killed. */
const STUBBORN = { command: "trap '' TERM; echo up; while :; do sleep 0.02; done", ready: { regex: "up" }, autostart: true, stop };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mgr-reload-"));
});
afterEach(async () => {
  await manager[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const main = () => join(folder, "mgr.yaml");

/** JSON is YAML, too. */
async function write(config: object, file = "mgr.yaml"): Promise<void> {
  await writeFile(join(folder, file), JSON.stringify(file === "mgr.yaml" ? { instance: INSTANCE, ...config } : config));
}

async function open(config: object): Promise<void> {
  await write(config);
  manager = await createManager(main());
}

type Reloaded = Extract<ManagerFrame, { type: "config_reload_result"; ok: true }>;

async function reload(config?: object, { dryRun = false } = {}): Promise<Omit<Reloaded, "type" | "ok" | "problems" | "request_id">> {
  if (config) await write(config);
  const {
    type: _type,
    ok: _ok,
    problems,
    request_id: _id,
    ...change
  } = (await manager.client.request({ type: "reload_config", dry_run: dryRun })) as Reloaded;
  expect(problems).toEqual([]);
  return change;
}

async function process(name: string): Promise<Process> {
  const found = (await manager.snapshot()).processes.find((each) => each.name === name);
  if (!found) throw new Error(`there is no process '${name}'`);
  return found;
}

const names = async () => (await manager.snapshot()).processes.map((each) => each.name);

/** Resolves with the first frame that is like that. */
function frame(wanted: (frame: ManagerFrame) => boolean): Promise<ManagerFrame> {
  const found = firstValueFrom(manager.client.frames$.pipe(filter(wanted), timeout(110_000)));
  // Who asked for it early may fail before awaiting it.
  found.catch(() => {});
  return found;
}

/** Resolves when it is in that state, now or later. */
async function state(name: string, wanted: string): Promise<Process> {
  const isRequested = (each: Process) => each.name === name && each.state === wanted;
  const snapshotOrChange = frame(
    (each) =>
      (each.type === "process_upsert" && isRequested(each.process)) || (each.type === "snapshot" && each.processes.some(isRequested)),
  );
  await manager.snapshot();
  await snapshotOrChange;
  return process(name);
}

/** Resolves when there is no process of that name, now or later. */
async function gone(name: string): Promise<void> {
  const snapshotOrRemoval = frame(
    (each) =>
      (each.type === "process_remove" && each.name === name) ||
      (each.type === "snapshot" && each.processes.every((process) => process.name !== name)),
  );
  await manager.snapshot();
  await snapshotOrRemoval;
}

async function shown(): Promise<object> {
  const { request_id: _id, ...snapshot } = (await manager.snapshot()) as Snapshot & { request_id?: unknown };
  return snapshot;
}

/** Answers about the configuration, failed ones included. */
function collectAnswers(): ManagerFrame[] {
  const answers: ManagerFrame[] = [];
  manager.client.frames$.pipe(filter(({ type }) => /^(config_|plan)/.test(type))).subscribe((each) => answers.push(each));
  return answers;
}

async function logged(): Promise<string[]> {
  const batch = await manager.client.request({ type: "request_logs" });
  return batch.type === "log_batch" ? batch.entries.map(({ msg }) => msg) : [];
}

/** The arguments of a living process, read from the kernel. */
/** For a moment after its start a process is still the shell that opens its terminal: poll it. */
const argv = (pid: number | null) => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);

describe("a reload", () => {
  it("changes only what differs: unchanged processes keep their pid, changed ones continue to run and are listed", async () => {
    await open({ processes: { a: { ...LASTING, autostart: true }, b: { ...LASTING, autostart: true }, c: LASTING } });
    const a = await state("a", "started");
    const b = await state("b", "started");
    const changed = { a: { ...LASTING, autostart: true }, b: { command: "sleep 1001", autostart: true }, c: { command: "sleep 1002" } };
    expect(await reload({ processes: changed })).toEqual({
      added: [],
      removed: [],
      changed: ["b", "c"],
      unchanged: ["a"],
      restart_needed: ["b"],
      starts: [],
      stops: [],
      differences: [
        { name: "b", key: "command", from: "sleep 1000", to: "sleep 1001" },
        { name: "c", key: "command", from: "sleep 1000", to: "sleep 1002" },
      ],
      hosts: [],
      settings: [],
      manager_restart_needed: [],
    });
    expect((await process("a")).pid).toBe(a.pid);
    expect(await process("b")).toMatchObject({ pid: b.pid, command: "sleep 1001" });
    await expect.poll(() => argv(b.pid)).toEqual(["sleep", "1000"]);

    expect((await reload()).restart_needed).toEqual(["b"]);
    // Going back to what runs, nothing is out of date: neither in the preview nor afterwards.
    const back = { ...changed, b: { ...LASTING, autostart: true } };
    expect(await reload({ processes: back }, { dryRun: true })).toMatchObject({ changed: ["b"], restart_needed: [] });
    expect((await reload({ processes: back })).restart_needed).toEqual([]);
    expect(await process("b")).toMatchObject({ pid: b.pid, needs_restart: false });
    expect(await reload({ processes: changed }, { dryRun: true })).toMatchObject({ restart_needed: ["b"] });
    await reload({ processes: changed });
    await manager.process("b").restart();
    await expect.poll(async () => argv((await process("b")).pid)).toEqual(["sleep", "1001"]);
    expect(await reload()).toMatchObject({ changed: [], unchanged: ["a", "b", "c"], restart_needed: [] });
    await manager.process("c").start();
    await expect.poll(async () => argv((await process("c")).pid)).toEqual(["sleep", "1002"]);
  });

  it("starts added processes with autostart, with their dependencies", async () => {
    await open({ processes: { db: LASTING } });
    const next = { processes: { db: LASTING, "new/api": { ...LASTING, autostart: true, depends_on: ["db"] }, idle: LASTING } };
    const planned = await reload(next, { dryRun: true });
    expect(planned).toMatchObject({ added: ["new/api", "idle"], unchanged: ["db"], starts: ["new/api", "db"], stops: [] });
    expect(await reload()).toEqual(planned);
    await state("new/api", "started");
    expect((await process("db")).state).toBe("started");
    expect((await process("idle")).state).toBe("stopped");
    await manager.client.request({ type: "stop_group", name: "new" });
    await state("new/api", "stopped");
  });

  it("stops removed processes, dependents first, and removes them when nothing of them is left", async () => {
    const mayEnd = join(folder, "may-end");
    const inGroup = { ...slow(mayEnd), depends_on: ["g/db"], autostart: true };
    await open({ processes: { keep: { ...LASTING, autostart: true }, "g/db": LASTING, "g/api": inGroup } });
    const api = await state("g/api", "ready");
    const kept = await state("keep", "started");
    const seen: string[] = [];
    const subscription = manager.client.frames$.subscribe((each) => {
      if (each.type === "process_upsert") {
        const { name, state } = each.process;
        // Other fields change while it is stopping.
        if (seen.findLast((line) => line.startsWith(`${name} `)) !== `${name} ${state}`) seen.push(`${name} ${state}`);
      }
      if (each.type === "process_remove") seen.push(`${each.name} removed`);
      if (each.type === "process_tree") seen.push(`tree ${each.process_tree.map((node) => node.name).join(" ")}`);
    });
    const cleared = frame((each) => each.type === "process_tree" && each.process_tree.length === 1);
    expect(await reload({ processes: { keep: { ...LASTING, autostart: true } } })).toMatchObject({ removed: ["g/db", "g/api"] });
    expect(await names()).toEqual(["keep", "g/db", "g/api"]);
    await writeFile(mayEnd, "");
    await cleared;
    subscription.unsubscribe();
    expect(seen.filter((each) => !each.startsWith("tree"))).toEqual([
      "g/db stopping",
      "g/api stopping",
      "g/api stopped",
      "g/api removed",
      "g/db stopped",
      "g/db removed",
    ]);
    expect(seen.at(-1)).toBe("tree keep");
    expect(await names()).toEqual(["keep"]);
    expect((await process("keep")).pid).toBe(kept.pid);
    expect(() => argv(api.pid)).toThrow("ENOENT");
    await expect(manager.client.request({ type: "start_group", name: "g" })).rejects.toThrow("there is no group 'g'");
  });

  it("allows only stop and signals for a retiring process; adding its name again cancels the removal", async () => {
    await open({ processes: { p: STUBBORN } });
    const { pid } = await state("p", "ready");
    await reload({ processes: {} });
    expect((await process("p")).state).toBe("stopping");
    const by = manager.client;
    for (const command of [
      { type: "start_process", name: "p" },
      { type: "restart_process", name: "p" },
      { type: "send_stdin", name: "p", text: "x" },
      { type: "set_process_command_override", name: "p", override: "true" },
    ] as const) {
      await expect(by.request(command)).rejects.toThrow("it is being stopped and takes stop and signals only");
    }
    await by.request({ type: "send_signal", name: "p", signal: "SIGCONT" });
    expect(await reload({ processes: { p: { ...STUBBORN, terminal: { rows: 50 } } } })).toMatchObject({ added: ["p"] });
    await by.request({ type: "send_signal", name: "p", signal: "SIGKILL" });
    const again = await state("p", "ready");
    expect(again.pid).not.toBe(pid);
    await by.request({ type: "send_signal", name: "p", signal: "SIGKILL" });
  });

  it.each([
    { what: "the process", stop: { type: "stop_process", name: "g/p" } },
    { what: "its group", stop: { type: "stop_group", name: "g" } },
  ] as const)("keeps a user's stop of a retiring process ($what): with its name back, it stays stopped", async ({ stop }) => {
    await open({ processes: { "g/p": STUBBORN } });
    await state("g/p", "ready");
    await reload({ processes: {} });
    await manager.client.request(stop);
    await reload({ processes: { "g/p": STUBBORN } });
    await manager.client.request({ type: "send_signal", name: "g/p", signal: "SIGKILL" });
    expect(await state("g/p", "stopped")).toMatchObject({ requested_state: "stop" });
    await reload({ processes: {} });
    await gone("g/p");
    await reload({ processes: { "g/p": STUBBORN } });
    expect(await process("g/p")).toMatchObject({ state: "stopped", requested_state: "stop" });
  });

  it("treats a process that is added again under a previous name as new", async () => {
    const config = { processes: { p: { command: "false", autostart: true } } };
    await open(config);
    await state("p", "error");
    await reload({ processes: {} });
    await gone("p");
    await reload({ processes: { p: LASTING } });
    expect(await process("p")).toMatchObject({ state: "stopped", exit: null, requested_state: "stop" });
  });

  it("forgets start requests of a removed process: added again, it starts only with autostart", async () => {
    await open({ processes: { p: LASTING, q: LASTING } });
    for (const name of ["p", "q"]) await manager.process(name).start();
    await manager.client.request({ type: "set_process_command_override", name: "p", override: "sleep 2000" });
    await reload({ processes: {} });
    await gone("p");
    await gone("q");
    await reload({ processes: { p: LASTING, q: { ...LASTING, autostart: true } } });
    await state("q", "started");
    // What was chosen for it does nothing by itself, and is still there.
    expect(await process("p")).toMatchObject({ state: "stopped", requested_state: "stop", command_override: "sleep 2000" });
  });

  it("gives waiting and backing-off processes their new definition at once", async () => {
    const before = {
      never: { ...LASTING, ready: { regex: "never" } },
      waits: { ...LASTING, depends_on: ["never"], autostart: true },
      fails: { command: "false", autostart: true, restart: { policy: "on-failure", delay: "5s", factor: 1 } },
    };
    await open({ processes: before });
    await state("waits", "waiting");
    await state("fails", "backoff");
    const after = { never: before.never, waits: LASTING, fails: { ...LASTING, restart: { policy: "on-failure" } } };
    expect(await reload({ processes: after })).toMatchObject({ changed: ["waits", "fails"], restart_needed: [] });
    await state("waits", "started");
    await state("fails", "started");
  });

  it("starts what a waiting process needs by its new definition", async () => {
    const never = { ...LASTING, ready: { regex: "never" } };
    await open({ processes: { never, waits: { ...LASTING, depends_on: ["never"], autostart: true } } });
    await state("waits", "waiting");
    await reload({ processes: { never, waits: { ...LASTING, depends_on: ["db"], autostart: true }, db: LASTING } });
    await state("waits", "started");
    expect((await process("db")).state).toBe("started");
  });

  it("adds and removes groups, and folds them as configured", async () => {
    await open({ groups: { empty: {} }, processes: { a: LASTING } });
    await reload({ groups: { other: { opened: false } }, processes: { a: LASTING } });
    expect((await manager.snapshot()).process_tree).toMatchObject([{ name: "a" }, { type: "group", name: "other", opened: false }]);
    const received = frame((each) => each.type === "process_tree");
    await reload({ groups: { other: { opened: true } }, processes: { a: LASTING } });
    expect(await received).toMatchObject({ process_tree: [{ name: "a" }, { name: "other", opened: true }] });
  });

  it("applies new names of this host, start tools and nodes at once, and names what needs a restart of the manager", async () => {
    await open({ processes: { a: { ...LASTING, start_tool: "none" } } });
    const host = frame((each) => each.type === "host_upsert");
    const instance = { ...INSTANCE, manager: ":1", start_tools: [{ value: "t", label: "T", command: "time {command}" }] };
    const answer = await reload({
      instance,
      nodes: { robot: "localhost" },
      processes: { a: { ...LASTING, start_tool: "t", node: "robot" } },
    });
    expect(answer.manager_restart_needed).toEqual(["instance.manager"]);
    expect(answer.settings).toEqual(["nodes", "instance.start_tools"]);
    // Until it has been started again.
    expect(await manager.client.request({ type: "request_plan" })).toMatchObject({
      settings: [],
      manager_restart_needed: ["instance.manager"],
    });
    expect(await host).toMatchObject({ host: { node_aliases: ["localhost", "robot"] } });
    expect((await manager.snapshot()).start_tools).toContainEqual({ value: "t", label: "T" });
    expect(await process("a")).toMatchObject({ current_command: "time sleep 1000", node: "robot", host: "localhost" });
    expect(await logged()).toContain("instance.manager changed: that acts at the next start of the manager");
  });

  it("refuses a group with the name of a retiring process, until the process is gone", async () => {
    await open({ processes: { p: STUBBORN } });
    await state("p", "ready");
    await reload({ processes: {} });
    await write({ processes: { "p/q": LASTING } });
    await expect(manager.client.request({ type: "reload_config" })).rejects.toMatchObject({ code: "conflict" });
    await manager.client.request({ type: "send_signal", name: "p", signal: "SIGKILL" });
    await gone("p");
    expect(await reload()).toMatchObject({ added: ["p/q"] });
  });

  it("changes nothing when the file is bad, and reports every problem with its place", async () => {
    await open({ processes: { a: { ...LASTING, autostart: true } } });
    await state("a", "started");
    const before = await shown();
    await writeFile(main(), `instance: {name: t, manager: ":0"}\nprocesses:\n  a: {comand: x}\n  b: {command: x, depends_on: [zz]}\n`);
    const answers = collectAnswers();
    await expect(manager.client.request({ type: "reload_config" })).rejects.toThrow("3 problems");
    await expect(manager.client.request({ type: "request_plan" })).rejects.toThrow("3 problems");
    const problems = [
      { path: main(), line: 3, column: 3, message: "processes.a.command: is missing; it must be a command: a string, or a list of words" },
      { path: main(), line: 3, column: 7, message: "processes.a.comand: unknown key; did you mean 'command'?" },
      { path: main(), line: 4, column: 32, message: "processes.b.depends_on[0]: there is no process 'zz'" },
    ];
    expect(answers).toMatchObject([
      { type: "config_reload_result", ok: false, code: "bad_field", problems },
      { type: "plan", ok: false, code: "bad_field", problems },
    ]);
    expect(await shown()).toEqual(before);
  });

  it("with dry_run, and a plan, only report what would change", async () => {
    await open({ processes: { a: { ...LASTING, autostart: true }, b: LASTING } });
    await state("a", "started");
    const before = await shown();
    await write({ processes: { b: LASTING } });
    expect(await reload(undefined, { dryRun: true })).toMatchObject({ removed: ["a"], stops: ["a"], starts: [] });
    await write({ processes: { a: { command: "sleep 5" }, c: LASTING } });
    expect(await manager.client.request({ type: "reload_config", dry_run: true })).toMatchObject({
      stops: [],
      added: ["c"],
      removed: ["b"],
      changed: ["a"],
      unchanged: [],
      restart_needed: ["a"],
    });
    expect(await manager.client.request({ type: "request_plan" })).toMatchObject({
      ok: true,
      added: ["c"],
      removed: ["b"],
      changed: ["a"],
    });
    expect(await shown()).toEqual(before);
  });

  it("waits for its turn: saves and reloads are carried out in the order of their requests", async () => {
    await open({ processes: { a: LASTING } });
    const asked = Array.from({ length: 10 }, (_, n) => {
      const content = JSON.stringify({ instance: INSTANCE, processes: { a: { command: `sleep ${n}` } } });
      // Each over a connection of its own: one connection is answered one request at a time anyway.
      return [
        manager.connect().request({ type: "save_config_file", path: main(), content }),
        manager.connect().request({ type: "reload_config" }),
      ];
    });
    const answers = await Promise.all(asked.flat());
    expect(answers.filter(({ type }) => type === "config_reload_result")).toMatchObject(Array(10).fill({ ok: true, changed: ["a"] }));
    expect((await process("a")).command).toBe("sleep 9");
  });

  it("reaches focused connections in their own view only, which stays open when its object vanishes", async () => {
    await open({ processes: { "g/a": { ...LASTING, autostart: true }, b: LASTING } });
    await state("g/a", "started");
    const focused = manager.connect({ single_group: "g" });
    await focused.snapshot();
    const frames: ManagerFrame[] = [];
    const subscription = focused.frames$.subscribe((each) => frames.push(each));
    const removed = frame((each) => each.type === "process_remove");
    await reload({ processes: { b: { command: "sleep 5" } } });
    await removed;
    await reload({ processes: { "g/new": LASTING, b: LASTING } });
    await focused.snapshot();
    subscription.unsubscribe();
    expect(frames.map((each) => (each.type === "process_upsert" ? `${each.process.name} ${each.process.state}` : each.type))).toEqual(
      expect.arrayContaining(["g/a stopping", "g/a stopped", "process_remove", "process_tree", "g/new stopped", "snapshot"]),
    );
    expect(JSON.stringify(frames)).not.toContain('"name":"b"');
    focused.close();
  });
});

describe("editing", () => {
  const ask = (request: object) => manager.client.request(request as Parameters<EmbeddedManager["client"]["request"]>[0]);

  it("reads and saves the files of the configuration, which a reload then takes", async () => {
    await mkdir(join(folder, "more"));
    await write({ processes: { q: LASTING } }, "more/q.yaml");
    await open({ include: ["more/*.yaml"], processes: { p: LASTING } });
    const file = await ask({ type: "request_config_file" });
    const text = await readFile(main(), "utf8");
    const files = [
      { path: main(), size: text.length, writable: true },
      { path: join(folder, "more/q.yaml"), size: 44, writable: true },
    ];
    expect(file).toMatchObject({ ok: true, path: main(), content: text, files });
    const included = await ask({ type: "request_config_file", path: "more/q.yaml" });
    expect(included).toMatchObject({ path: join(folder, "more/q.yaml"), content: '{"processes":{"q":{"command":"sleep 1000"}}}' });
    const base_hash = (included as { hash: string }).hash;
    const saved = await ask({ type: "save_config_file", path: "more/q.yaml", content: "processes: {r: {command: x}}\n", base_hash });
    expect(saved).toMatchObject({ ok: true, path: "more/q.yaml", problems: [] });
    expect(await ask({ type: "request_config_file", path: "more/q.yaml" })).toMatchObject({ hash: (saved as { hash: string }).hash });
    expect(await reload()).toMatchObject({ added: ["r"], removed: ["q"], unchanged: ["p"] });
  });

  it("checks the whole configuration with the new text first, and keeps the file when that is bad or old", async () => {
    await open({ processes: { p: LASTING } });
    const text = await readFile(main(), "utf8");
    const answers = collectAnswers();
    const save = (change: object) => ask({ type: "save_config_file", path: main(), ...change });
    await expect(save({ content: "processes: {p: {}}" })).rejects.toMatchObject({ code: "bad_field" });
    await expect(save({ content: text, base_hash: "0" })).rejects.toMatchObject({ code: "conflict" });
    expect(answers).toMatchObject([
      {
        type: "config_file_saved",
        ok: false,
        path: main(),
        problems: [
          { path: main(), line: 1, column: 1 },
          { path: main(), line: 1, column: 13 },
        ],
      },
      { type: "config_file_saved", ok: false, path: main(), code: "conflict" },
    ]);
    expect(await readFile(main(), "utf8")).toBe(text);
  });

  it("keeps what a file was: at the start, when it was saved, and what another program wrote over it", async () => {
    await open({ processes: { p: LASTING } });
    const first = await readFile(main(), "utf8");
    const history = async () => {
      const found = (await ask({ type: "request_config_history" })) as Extract<ManagerFrame, { type: "config_history"; ok: true }>;
      expect(found.versions.every(({ size }) => size > 0)).toBe(true);
      return { ...found, versions: found.versions.map(({ by, hash }) => [by, hash] as const) };
    };
    const begin = await history();
    const [[by, effective]] = begin.versions as [[null, string]];
    expect(begin).toMatchObject({ path: main(), hash: effective, effective_hash: effective, versions: [[null, effective]] });
    expect(by).toBeNull();

    await writeFile(main(), `${first}\n# by hand`);
    const saved = (await ask({ type: "save_config_file", path: main(), content: `${first}\n# saved` })) as { hash: string };
    const then = await history();
    expect(then).toMatchObject({ hash: saved.hash, effective_hash: effective });
    expect(then.versions.map(([user]) => user)).toEqual([expect.any(String), null, null]);
    const [, [, byHand]] = then.versions as [unknown, [null, string]];
    expect(await ask({ type: "request_config_file", hash: byHand })).toMatchObject({ content: `${first}\n# by hand`, hash: byHand });
    expect(await ask({ type: "request_config_file" })).toMatchObject({ content: `${first}\n# saved`, effective_hash: effective });

    await reload();
    expect(await history()).toMatchObject({ hash: saved.hash, effective_hash: saved.hash });
    await expect(ask({ type: "request_config_file", hash: "0".repeat(64) })).rejects.toMatchObject({ code: "not_found" });
  });

  it("refuses files that do not belong to the configuration", async () => {
    await open({ processes: { p: LASTING } });
    await writeFile(join(folder, "other.yaml"), "x");
    for (const path of ["/etc/passwd", "other.yaml", "../mgr.yaml", "mgr.yaml/../other.yaml", ".", `${main()}\0`]) {
      await expect(ask({ type: "request_config_file", path })).rejects.toMatchObject({
        code: expect.stringMatching(/not_found|bad_field/),
      });
      await expect(ask({ type: "save_config_file", path, content: "x" })).rejects.toMatchObject({
        code: expect.stringMatching(/not_found|bad_field/),
      });
    }
  });

  it("has no file where a program gave the configuration", async () => {
    manager = await createManager({ processes: { p: LASTING } });
    for (const type of ["reload_config", "request_plan", "request_config_file", "request_config_history"]) {
      await expect(ask({ type })).rejects.toMatchObject({ code: "conflict" });
    }
  });
});
