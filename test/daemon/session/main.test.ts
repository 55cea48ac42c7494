import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Broker, createBroker } from "../../../src/bus/broker/broker.ts";
import type { Bus } from "../../../src/bus/client/bus.ts";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import { acquireLock, readLock } from "../../../src/daemon/session/lock.ts";
import { processesWith, uniqueSeconds, until, untilEnvironment } from "../../support/processes.ts";
import { builtDaemon, copyPackages, type Greeted, greetHost, type StartedDaemon, startDaemonProgram } from "../support/built-daemon.ts";
import { reportedBy } from "../support/hosts.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures");
const ROOT = join(import.meta.dirname, "../../..");
let built = "";
let folder = "";
let broker: Broker;
let bus: Bus;
let words: string[] = [];
const daemons: ChildProcess[] = [];

beforeAll(async () => {
  built = await builtDaemon();
});
afterAll(() => rmSync(built, { recursive: true }));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "mgr-daemon-"));
  broker = createBroker();
  await broker.listenUnix(join(folder, "bus.sock"));
  bus = await connectBus({ server: { kind: "memory", broker }, name: "test" });
});
afterEach(async () => {
  for (const daemon of daemons.splice(0)) {
    if (daemon.exitCode !== null || daemon.signalCode !== null) continue;
    const ended = once(daemon, "exit");
    daemon.kill("SIGKILL");
    await ended;
  }
  await bus.close();
  await broker.close();
  const left = () => words.flatMap(processesWith);
  await until(() => left().length === 0, 60_000, left);
  words = [];
  rmSync(folder, { recursive: true });
});

function word(): string {
  const made = uniqueSeconds();
  words.push(made);
  return made;
}

function startDaemon(changes: object = {}, cwd = "/", program = join(built, "dist/daemon.cjs")): StartedDaemon {
  const options = {
    state_dir: join(folder, "state"),
    host: "bench",
    bus: { socket: join(folder, "bus.sock") },
    ...changes,
  };
  const started = startDaemonProgram(program, options, cwd);
  daemons.push(started.daemon);
  return started;
}

const greet = (epoch?: number): Promise<Greeted> => greetHost(bus, "bench", epoch);

const running = (found: string, count: number) =>
  until(
    () => processesWith(found).length >= count,
    60_000,
    () => processesWith(found),
  );
const logOf = () => readFileSync(join(folder, "state/daemon.log"), "utf8");

describe("a host daemon", () => {
  test("serves its host on the bus, and identifies itself in its lock", async () => {
    const { pid, errors } = startDaemon();
    const manager = await greet();
    const { runs } = await manager.request("report", { after: null });
    expect(runs).toEqual([]);
    expect(await readLock(join(folder, "state/daemon.lock"))).toMatchObject({
      held: true,
      info: { pid, contract: 1, socket: join(folder, "bus.sock") },
    });
    expect(statSync(join(folder, "state/daemon.log")).mode & 0o777).toBe(0o600);
    expect(errors()).toBe("");
  });

  test("keeps no folder busy, and gives its children their terminal and nothing else", async () => {
    const cwd = join(folder, "cwd");
    mkdirSync(cwd);
    const { pid } = startDaemon({}, cwd);
    const manager = await greet();
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe("/");
    const first = await manager.spawn("first", `sleep ${word()}`);
    const second = await manager.spawn("second", `sleep ${word()}`);
    await Promise.all(words.map((found) => running(found, 1)));
    for (const run of [first, second]) {
      const filesOf = () => readdirSync(`/proc/${run.pid}/fd`).map((fd) => [fd, readlinkSync(`/proc/${run.pid}/fd/${fd}`)]);
      // The loader opens files while the program begins.
      await expect.poll(() => filesOf().map(([fd]) => fd)).toEqual(["0", "1", "2"]);
      const files = filesOf();
      expect(new Set(files.map(([, file]) => file)).size).toBe(1);
      expect(files[0]?.[1]).toMatch(/^\/dev\/pts\/\d+$/);
    }
  });

  test("is one per instance: a second one names the first and exits with 3", async () => {
    const { pid } = startDaemon();
    await greet();
    const second = startDaemon();
    expect(await second.exit).toEqual([3, null]);
    // The output of a program may be read after its end was seen.
    await expect
      .poll(second.errors)
      .toBe(`a host daemon of this instance runs already (pid ${pid} holds ${join(folder, "state/daemon.lock")})\n`);
  });

  test.each(["", "{", '{"state_dir":"relative","host":"h","socket":"/s"}', '{"state_dir":"/tmp/x","host":"h"}'])(
    "started with %j exits with 2 and says what it takes",
    async (argument) => {
      const daemon = spawn(process.execPath, [join(built, "dist/daemon.cjs"), argument], { stdio: ["ignore", "ignore", "pipe"] });
      let errors = "";
      daemon.stderr.on("data", (chunk) => {
        errors += chunk;
      });
      expect((await once(daemon, "close"))[0]).toBe(2);
      expect(errors).toMatch(/^the host daemon takes one argument, JSON/);
    },
  );

  test("that reads the address of the bus from stdin begins when it arrives; if stdin ends without one it exits, and has done nothing", async () => {
    const unneeded = startDaemon({ bus: "stdin" });
    unneeded.daemon.stdin?.end();
    expect(await unneeded.exit).toEqual([0, null]);
    expect([unneeded.errors(), existsSync(join(folder, "state"))]).toEqual(["", false]);
    const needed = startDaemon({ bus: "stdin" });
    needed.daemon.stdin?.end(JSON.stringify({ socket: join(folder, "bus.sock") }));
    const { spawn: begin } = await greet();
    expect(await begin("p", `sleep ${word()}`)).toMatchObject({ name: "p", stop_time: null });
  });

  test("continues without a broker, and reconnects when there is one", async () => {
    const { pid } = startDaemon();
    const before = await greet();
    const run = await before.spawn("p", `sleep ${word()}`);
    await bus.close();
    await broker.close();
    broker = createBroker();
    await broker.listenUnix(join(folder, "bus.sock"));
    bus = await connectBus({ server: { kind: "memory", broker }, name: "test" });
    const after = await greet(2);
    expect(after.streamId).toBe(before.streamId);
    const { runs } = await after.request("report", { after: null });
    expect(runs).toMatchObject([{ name: "p", pid: run.pid, extinct: false }]);
    expect(process.kill(pid, 0)).toBe(true);
  });

  test("whose state folder was removed is found by its successor, which waits until nothing of it is left", async () => {
    const first = startDaemon();
    const manager = await greet();
    const found = word();
    // The end of its terminal would end it, too.
    await manager.spawn("p", `trap "" HUP; sleep ${found} & wait`);
    await running(found, 2);
    // Its guard alone has that among its arguments.
    await running(manager.streamId, 1);
    const [guard = 0] = processesWith(manager.streamId);
    process.kill(guard, "SIGSTOP");
    first.daemon.kill("SIGSTOP");
    rmSync(join(folder, "state"), { recursive: true });
    first.daemon.kill("SIGKILL");
    await first.exit;
    expect(processesWith(found)).not.toEqual([]);

    startDaemon();
    await until(
      () => processesWith(found).length === 0,
      60_000,
      () => processesWith(found),
    );
    process.kill(guard, "SIGCONT");
    expect((await greet(2)).streamId).not.toBe(manager.streamId);
    // The log is written behind what it tells of.
    await until(() => logOf().includes("the previous daemon was killed; its processes have been killed too"), 60_000, logOf);
  });

  test("finds its manager by the lock of the manager, wherever it listens", async () => {
    startDaemon();
    const before = await greet();
    await bus.close();
    await broker.close();
    const moved = join(folder, "elsewhere.sock");
    const lock = await acquireLock(join(folder, "state/manager.lock"), { instance_uuid: "test", contract: 1, socket: moved });
    if ("holder" in lock) throw new Error("held");
    broker = createBroker();
    await broker.listenUnix(moved);
    bus = await connectBus({ server: { kind: "memory", broker }, name: "test" });
    expect((await greet(2)).streamId).toBe(before.streamId);
    lock.release();
  });

  test("restores its lock and the data for its successor when its state folder is removed", async () => {
    const { pid } = startDaemon();
    const { streamId } = await greet();
    renameSync(join(folder, "state"), join(folder, "gone"));
    const record = join(folder, "state/daemon.json");
    await until(
      () => existsSync(record) && existsSync(join(folder, "state/daemon.log")),
      60_000,
      () => readdirSync(folder),
    );
    expect(JSON.parse(readFileSync(record, "utf8"))).toMatchObject({ stream_id: streamId });
    expect(await readLock(join(folder, "state/daemon.lock"))).toMatchObject({ held: true, info: { pid } });
    await until(
      () => /the state folder .* was removed while this program runs/.test(logOf()),
      60_000,
      () => logOf(),
    );
  });

  test("on SIGTERM stops everything by rank, the highest first, and ends with 0 and without a guard", async () => {
    const { daemon, exit } = startDaemon();
    const manager = await greet();
    const [low, high] = [word(), word()];
    await manager.spawn("low", `sleep ${low} & wait`, { stop_rank: 1 });
    await manager.spawn("high", `trap 'sleep 0.2; exit 0' TERM; sleep ${high} & wait`, { stop_rank: 2 });
    await Promise.all([running(low, 2), running(high, 2)]);
    daemon.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
    expect(words.flatMap(processesWith)).toEqual([]);
    const order = () =>
      manager.events
        .filter((event) => event.kind !== "spawned")
        .flatMap((event) => reportedBy(event).map((kind) => `${event.run.name} ${kind}`));
    // Events of a daemon may be read after its end was seen.
    await expect.poll(order).toEqual(["high stopping", "high exited", "high extinct", "low stopping", "low exited", "low extinct"]);
    await until(
      () => processesWith(manager.streamId).length === 0,
      60_000,
      () => processesWith(manager.streamId),
    );
    expect(await readLock(join(folder, "state/daemon.lock"))).toMatchObject({ held: false });
    expect(existsSync(join(folder, "state/daemon.json"))).toBe(false);
  });

  test("on a second SIGTERM kills at once what ignores the first", async () => {
    const { daemon, exit } = startDaemon();
    const manager = await greet();
    const found = word();
    await manager.spawn("stubborn", `${join(FIXTURES, "ignore-term.sh")} ${found}`, { stop: [{ signal: "SIGTERM", timeout_ms: 60_000 }] });
    await running(found, 2);
    daemon.kill("SIGTERM");
    await until(
      () => manager.events.some((event) => event.kind === "stopping"),
      60_000,
      () => manager.events,
    );
    daemon.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
    expect(processesWith(found)).toEqual([]);
  });

  test("exits only when no process carries its mark any more, also of a run that it does not know", async () => {
    const { daemon, exit } = startDaemon();
    const manager = await greet();
    const env = { PATH: process.env.PATH, MGR_RUN: `${manager.streamId}:9-9` };
    const stray = spawn("sleep", [word()], { stdio: "ignore", env });
    const ended = once(stray, "exit");
    // A scan during execve finds no mark; then only the guard would kill the process.
    await untilEnvironment(stray.pid ?? 0, env.MGR_RUN);
    daemon.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
    expect(processesWith(words[0] ?? "")).toEqual([]);
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect(logOf()).toContain(`left behind by a run that has ended, and killed now: sleep (pid ${stray.pid})`);
  });

  test("ignores SIGHUP and SIGINT when it is detached", async () => {
    const { daemon } = startDaemon();
    const manager = await greet();
    daemon.kill("SIGHUP");
    daemon.kill("SIGINT");
    await manager.request("report", { after: null });
    expect(daemon.exitCode).toBeNull();
  });

  test("ends on SIGTERM also while it waits for a broker", async () => {
    const { daemon, exit } = startDaemon({ bus: { socket: join(folder, "none.sock") } });
    await until(() => existsSync(join(folder, "state/daemon.log")) && logOf().includes('"msg":"started"'), 60_000, logOf);
    daemon.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
  });

  test("killed with -9 leaves nothing of its runs alive after 5 s, setsid and nohup children included", async () => {
    const { daemon, exit } = startDaemon();
    const manager = await greet();
    const found = word();
    for (const program of ["ignore-term.sh", "setsid-grandchild.sh", "double-fork.py"])
      await manager.spawn(program, `${join(FIXTURES, program)} ${found}`);
    await manager.spawn("nohup", `nohup sleep ${found} & env -i setsid sleep ${found} & sleep ${found}`);
    await running(found, 10);
    daemon.kill("SIGKILL");
    await exit;
    await expect.poll(() => processesWith(found), { timeout: 60_000 }).toEqual([]);
    await expect.poll(() => processesWith(manager.streamId), { timeout: 60_000 }).toEqual([]);
  });

  test("whose predecessor was killed together with its guard kills the processes of the predecessor before it announces itself", async () => {
    const first = startDaemon();
    const manager = await greet();
    const found = word();
    await manager.spawn("orphaned", `setsid sleep ${found} & trap '' HUP; sleep ${found}; :`);
    await running(found, 3);
    // It must not see its guard's death.
    first.daemon.kill("SIGSTOP");
    for (const guard of processesWith(manager.streamId)) process.kill(guard, "SIGKILL");
    first.daemon.kill("SIGKILL");
    await first.exit;
    expect(processesWith(found).length).toBeGreaterThan(0);
    startDaemon();
    const next = await greet(2);
    expect(processesWith(found)).toEqual([]);
    expect(next.streamId).not.toBe(manager.streamId);
    // The log is written behind what it tells of.
    await until(() => logOf().includes("the previous daemon was killed; its processes have been killed too"), 60_000, logOf);
  });
});

test("continues when dist and node_modules of its bundle are deleted", async () => {
  const copy = join(folder, "copy");
  cpSync(join(built, "dist"), join(copy, "dist"), { recursive: true });
  copyPackages(join(copy, "node_modules"));
  const { daemon, exit } = startDaemon({}, copy, join(copy, "dist/daemon.cjs"));
  const manager = await greet();
  rmSync(copy, { recursive: true });
  const found = word();
  const run = await manager.spawn("p", `echo hello; sleep ${found}`);
  await running(found, 1);
  await manager.request("resize", { run_id: run.run_id, rows: 40, cols: 100 });
  await manager.request("write", { run_id: run.run_id, text: "x" });
  await manager.request("stop", { run_id: run.run_id, steps: [{ signal: "SIGTERM", timeout_ms: 1_000 }] });
  await until(
    () => manager.events.some((event) => event.run.extinct),
    60_000,
    () => manager.events,
  );
  daemon.kill("SIGTERM");
  expect(await exit).toEqual([0, null]);
});

describe("the native part of node-pty", () => {
  const copy = () => join(folder, "copy");
  const start = () => {
    cpSync(join(built, "dist"), join(copy(), "dist"), { recursive: true });
    return startDaemon({}, copy(), join(copy(), "dist/daemon.cjs"));
  };

  test("without a matching binary, the daemon reports in one line what to install", async () => {
    copyPackages(join(copy(), "node_modules"), ["koffi", "@koromix", "node-pty"]);
    const { exit, errors } = start();
    expect(await exit).toEqual([1, null]);
    await expect.poll(errors).toMatch(/^The native part of node-pty cannot be loaded: Cannot find module '@lydell\/.*'npm install .*\n$/);
  });

  test("the original package, compiled on this machine, works too", async () => {
    copyPackages(join(copy(), "node_modules"), ["koffi", "@koromix"]);
    mkdirSync(join(copy(), "node_modules/node-pty"));
    const binary = join(ROOT, `node_modules/@lydell/node-pty-linux-${process.arch}/pty.node`);
    writeFileSync(join(copy(), "node_modules/node-pty/index.js"), `exports.native = require(${JSON.stringify(binary)});`);
    start();
    const manager = await greet();
    await manager.spawn("p", "test -t 1 && exit 7");
    const codes = () => manager.events.map((event) => (event.kind === "exited" ? event.run.exit?.code : null));
    await expect.poll(codes, { timeout: 60_000 }).toContain(7);
  });
});
