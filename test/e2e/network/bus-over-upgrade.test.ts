import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createBroker } from "../../../src/bus/broker/broker.ts";
import { permissionsOf } from "../../../src/bus/broker/permissions.ts";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import { Registry } from "../../../src/bus/registry/registry.ts";
import { connectClient } from "../../../src/features/data-plane/client/index.ts";
import { builtDaemon, type Greeted, greetHost, startDaemonProgram } from "../../daemon/support/built-daemon.ts";
import { SPEC } from "../../features/recordings/host/recording-rig.ts";
import { readMcap } from "../../features/recordings/samples/mcap/independent-reader.ts";
import { until } from "../../support/processes.ts";

const PROGRAM = join(import.meta.dirname, "../../fixtures/numbered-samples.py");
const [TOPICS, RATE, COUNT] = [5, 1_000, 3_000];
const SETTINGS = { hub: "manager", max_payload: 1_048_576, memory: null } as const;
/** Samples of a cut, and a bandwidth with which sending them takes a minute, bytes per second: longer than a replacement on a slow machine. */
const [KEPT, SLOW] = [2_000, 4_000];
let built = "";
beforeAll(async () => {
  built = await builtDaemon();
});
afterAll(() => rmSync(built, { recursive: true }));

it("a daemon that replaces its program twice loses no sample of a Python client, and records all of them in one file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-bus-upgrade-"));
  const state = join(folder, "state");
  const broker = createBroker();
  await broker.listenUnix(join(folder, "bus.sock"));
  const bus = await connectBus({ server: { kind: "memory", broker }, name: "test" });
  const options = { state_dir: state, host: "bench", bus: { socket: join(folder, "bus.sock") }, version: "1.0.0" };
  const daemon = startDaemonProgram(join(built, "dist/daemon.cjs"), options);
  const log = () => readFileSync(join(state, "daemon.log"), "utf8");
  try {
    let manager = await greetHost(bus, "bench");
    await manager.request("record_start", { spec: SPEC });
    const url = readFileSync(join(state, "bus.url"), "utf8").trim();
    const client = spawn("python3", [PROGRAM, String(TOPICS), String(RATE), String(COUNT)], {
      env: { ...process.env, MGR_BUS_URL: url },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [output, errors, closed] = [text(client.stdout), text(client.stderr), once(client, "close")];
    await once(client.stdout, "data");
    for (let replacements = 1; replacements <= 2; replacements++) {
      await manager.request("replace_program", { program: null, node: null });
      await until(
        () => log().split("this program has replaced").length > replacements,
        60_000,
        () => log() + daemon.errors(),
      );
      manager = await greetHost(bus, "bench", replacements + 1);
    }
    expect([await closed, await errors]).toEqual([[0, null], ""]);
    const result = JSON.parse((await output).split("\n").at(-2) ?? "");
    expect(result).toMatchObject({ complete: TOPICS, lost: 0, double: 0, problems: [] });
    await manager.request("record_stop", { name: SPEC.name });
    const files = readdirSync(join(state, "recordings", SPEC.name)).filter((name) => name.endsWith(".mcap"));
    expect(files).toHaveLength(1);
    const { messages, messageCount } = readMcap(readFileSync(join(state, "recordings", SPEC.name, files[0] ?? "")));
    expect(Number(messageCount)).toBe(TOPICS * COUNT);
    for (let topic = 0; topic < TOPICS; topic++) {
      const numbers = messages.filter((message) => message.topic === `arm/t${topic}`).map(({ data }) => JSON.parse(String(data)).n);
      expect(numbers).toEqual(Array.from({ length: COUNT }, (_, n) => n));
    }
  } finally {
    daemon.daemon.kill("SIGTERM");
    await daemon.exit;
    await bus.close();
    await broker.close();
    rmSync(folder, { recursive: true });
  }
});

it("a daemon that replaces its program while it keeps samples for its link, and while it sends them, loses none and goes on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-kept-upgrade-"));
  const state = join(folder, "state");
  const socket = join(folder, "bus.sock");
  const daemon = startDaemonProgram(join(built, "dist/daemon.cjs"), { state_dir: state, host: "bench", bus: { socket }, version: "1.0.0" });
  const log = () => readFileSync(join(state, "daemon.log"), "utf8") + daemon.errors();
  const cleanups: (() => unknown)[] = [];
  try {
    let hub = await openHub(socket);
    cleanups.push(() => hub.close());
    const configure = (manager: Greeted, bandwidth: number | null) => {
      const spec = { topics: ["arm/*"], max_bytes: 1e8, max_age_ms: 1e8, share: 1, bandwidth };
      return manager.request("store_forward_configure", { spec });
    };
    await configure(await greetHost(hub.bus, "bench", 1, SETTINGS), SLOW);
    const arm = await connectClient({ name: "arm", url: readFileSync(join(state, "bus.url"), "utf8").trim(), log: () => {} });
    cleanups.push(() => arm.close());
    const publisher = await arm.publisher("arm/state", { type: "object" });
    let published = 0;
    const publish = (count: number) => {
      for (const end = published + count; published < end; ) publisher.publish({ n: published++ });
    };

    await hub.close();
    publish(KEPT);
    await arm.flush();
    hub = await openHub(socket);
    const waits = async (manager: Greeted) => {
      const { topics } = await manager.request("store_forward_status", { topic: null });
      return topics.map(({ topic, state: why, samples }) => `${topic} ${why} ${samples}`).join();
    };
    const kept = async (host: Greeted) => {
      let text = "";
      for (const began = Date.now(); text !== `arm/state no_subscriber ${KEPT}` && Date.now() - began < 60_000; ) text = await waits(host);
      return text;
    };
    let epoch = 2;
    let host = await greetHost(hub.bus, "bench", epoch, SETTINGS);
    expect(await kept(host)).toBe(`arm/state no_subscriber ${KEPT}`);
    const replace = async () => {
      const before = log().split("this program has replaced").length;
      await host.request("replace_program", { program: null, node: null });
      await until(() => log().split("this program has replaced").length > before, 60_000, log);
      host = await greetHost(hub.bus, "bench", ++epoch, SETTINGS);
    };
    await replace();
    expect(await kept(host)).toBe(`arm/state no_subscriber ${KEPT}`);

    const logger = await connectClient({ name: "logger", url: hub.url, log: () => {} });
    cleanups.push(() => logger.close());
    const received: { n: number; isLate: boolean }[] = [];
    const late = () => received.filter(({ isLate }) => isLate).map(({ n }) => n);
    const subscription = logger.subscribe("arm/state", {
      definition: { type: "object" },
      late: true,
      onMessage: ({ value, late: at }) => received.push({ ...(value as { n: number }), isLate: at !== null }),
    });
    await until(() => late().length > 0, 60_000, log);
    const timer = setInterval(() => publish(5), 10);
    cleanups.push(() => clearInterval(timer));
    await replace();
    expect(late().length).toBeLessThan(KEPT);
    const live = () => received.length - late().length;
    const before = live();
    await until(() => live() > before, 60_000, log);
    clearInterval(timer);
    await configure(host, null);
    await until(
      () => received.length === published,
      60_000,
      () => `${received.length} of ${published}; ${log()}`,
    );
    expect(received.map(({ n }) => n).sort((a, b) => a - b)).toEqual(Array.from({ length: published }, (_, n) => n));
    expect(late()).toEqual([...late()].sort((a, b) => a - b));
    expect(subscription.counters.missed).toBe(0);
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
    daemon.daemon.kill("SIGTERM");
    await daemon.exit;
    rmSync(folder, { recursive: true });
  }
});

/** The broker of a manager, with a port for clients. */
async function openHub(socket: string) {
  const registry = new Registry({ host: "hub", server: "hub", place: () => ({ port: 0, unix_socket: null }), log: () => {} });
  const broker = createBroker({ hooks: registry });
  await broker.listenUnix(socket);
  const port = await broker.listenTcp({
    host: "127.0.0.1",
    port: 0,
    authenticate: () => permissionsOf({ kind: "client", name: "logger" }),
  });
  const bus = await connectBus({ server: { kind: "memory", broker }, name: "test" });
  const close = async () => {
    await bus.close();
    await broker.close();
  };
  return { bus, close, url: `nats://token@127.0.0.1:${port}` };
}
