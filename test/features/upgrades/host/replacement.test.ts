import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Broker, createBroker } from "../../../../src/bus/broker/broker.ts";
import type { Bus } from "../../../../src/bus/client/bus.ts";
import { connectBus } from "../../../../src/bus/client/connect-bus.ts";
import { readLock } from "../../../../src/daemon/session/lock.ts";
import { builtDaemon, type Greeted, greetHost, type StartedDaemon, startDaemonProgram } from "../../../daemon/support/built-daemon.ts";
import { processesWith, uniqueSeconds, until } from "../../../support/processes.ts";

let built = "";
let folder = "";
let broker: Broker;
let bus: Bus;
let daemon: StartedDaemon;
let words: string[] = [];

beforeAll(async () => {
  built = await builtDaemon();
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
  const left = () => words.flatMap(processesWith);
  await until(() => left().length === 0, 60_000, left);
  words = [];
  rmSync(folder, { recursive: true });
});

const logOf = () => readFileSync(join(folder, "state/daemon.log"), "utf8");

test("replaces", async () => {
  const manager = await greetHost(bus, "bench");
  const run = await manager.spawn("counter", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); echo $i; done; sleep 100");
  const answer = await manager.link.request("replace_program", { session: manager.session, program: null, node: null });
  console.log(answer, daemon.pid);
  await until(
    () => logOf().includes("has replaced"),
    20_000,
    () => logOf() + daemon.errors(),
  );
  console.log(logOf(), daemon.errors());
  const again = await greetHost(bus, "bench", 1);
  const report = await again.link.request("report", { session: again.session, after: null });
  console.log(report.runs);
});
