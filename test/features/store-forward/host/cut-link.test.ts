import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../../../../src/base/timing/clock.ts";
import { type Broker, createBroker } from "../../../../src/bus/broker/broker.ts";
import type { HubDial } from "../../../../src/bus/broker/leaf/hub-connection.ts";
import type { ByteStream } from "../../../../src/bus/carriers/byte-stream.ts";
import { hubDial } from "../../../../src/bus/client/hub-dial.ts";
import { busFiles } from "../../../../src/daemon/bus/bus-files.ts";
import { HostBus } from "../../../../src/daemon/bus/host-bus.ts";
import { connectClient, type DataClient, type TopicMessage } from "../../../../src/features/data-plane/client/index.ts";
import { Tap } from "../../../../src/features/data-plane/host/tap.ts";
import { wallClockNs } from "../../../../src/features/data-plane/wall-clock.ts";
import type { StoreForwardSpec } from "../../../../src/features/store-forward/contract.ts";
import { StoreForward } from "../../../../src/features/store-forward/host/store-forward.ts";
import { until } from "../../../bus/leaf/leaf-rig.ts";

const SPEC: StoreForwardSpec = { topics: ["arm/*"], max_bytes: 64 * 1024 * 1024, max_age_ms: 3_600_000, share: 1, bandwidth: null };
const cleanups: (() => unknown)[] = [];
let folder: string;
let hub: Broker;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-store-forward-"));
  hub = createBroker({ name: "hub" });
  cleanups.push(() => hub.close());
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  rmSync(folder, { recursive: true, force: true });
});

/** A host with a broker, whose link to the hub can be cut. */
class Host {
  readonly logged: string[] = [];
  bus!: HostBus;
  keeper!: StoreForward;
  #isCut = false;
  #stream: ByteStream | null = null;
  readonly #folder: string;

  constructor(name: string) {
    this.#folder = join(folder, name);
    mkdirSync(this.#folder, { mode: 0o700 });
  }

  static async open(name: string): Promise<Host> {
    const host = new Host(name);
    const inner = hubDial({ server: { kind: "memory", broker: hub } });
    const dial: HubDial = {
      ...inner,
      stream: async (signal) => {
        if (host.#isCut) throw new Error("the link is cut");
        host.#stream = await inner.stream(signal);
        return host.#stream;
      },
    };
    host.bus = await HostBus.open({ host: name, files: busFiles(host.#folder), hub: () => dial, log: () => {} });
    cleanups.push(() => host.bus.close());
    host.begin();
    cleanups.push(() => host.keeper.close());
    host.bus.follow({ hub: "manager", max_payload: 1024 * 1024, memory: null });
    await until(() => host.bus.isLinked);
    return host;
  }

  /** A daemon that begins with what is on the disk. */
  begin(): void {
    const { bus } = this;
    const log = (_level: string, msg: string) => void this.logged.push(msg);
    const tap = new Tap(bus.registry, (msg) => log("error", msg));
    this.keeper = new StoreForward({ stateDir: this.#folder, bus, tap, clock: systemClock, now: wallClockNs, log });
  }

  async client(name: string): Promise<DataClient> {
    const client = await connectClient({ name, url: this.bus.localUrl, log: () => {} });
    cleanups.push(() => client.close());
    return client;
  }

  async cut(): Promise<void> {
    this.#isCut = true;
    this.#stream?.destroy();
    await until(() => !this.bus.isLinked);
  }

  async mend(): Promise<void> {
    this.#isCut = false;
    await until(() => this.bus.isLinked);
  }
}

interface Plant {
  readonly robot: Host;
  readonly received: TopicMessage[];
  /** Publishes the next `count` numbers. */
  publish(count: number): Promise<void>;
  /** Waits until this many samples have arrived, and returns their numbers. */
  numbers(count: number): Promise<number[]>;
}

/** A publisher on one host, and a subscriber of its samples on another one. */
async function plant({ late = true } = {}): Promise<Plant> {
  const [robot, station] = [await Host.open("robot"), await Host.open("station")];
  robot.keeper.configure(SPEC);
  await robot.keeper.opened;
  const received: TopicMessage[] = [];
  const logger = await station.client("logger");
  logger.subscribe("arm/state", { late, onMessage: (message) => void received.push(message) });
  await logger.flush();
  const arm = await robot.client("arm");
  const publisher = await arm.publisher("arm/state");
  await until(() => robot.bus.broker.trace("topic.arm.state").links.length > 0);
  let next = 0;
  const publish = async (count: number) => {
    for (let sent = 0; sent < count; sent++) publisher.publish(Buffer.from(String(next++)));
    await arm.flush();
  };
  const numbers = async (count: number) => {
    await until(() => received.length >= count);
    return received.map(({ data }) => Number(Buffer.from(data).toString()));
  };
  // Interest crosses the hub after the subscriber was answered.
  while (received.length === 0) {
    await publish(1);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await until(() => received.length > 0);
  return { robot, received, publish, numbers };
}

const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

it("a subscriber that asks for late samples receives each sample once, in order, and those of the cut with their time", async () => {
  const { robot, received, publish, numbers } = await plant();
  const [first = 0] = await numbers(1);
  await publish(100);
  await robot.cut();
  const before = wallClockNs();
  await publish(5_000);
  const after = wallClockNs();
  await robot.mend();
  await publish(100);
  const live = received.filter(({ late }) => late === null).length;
  expect(live).toBeGreaterThan(0);
  await until(() => robot.logged.some((line) => line.startsWith("sent ")));
  const total = Number((await numbers(5_200 + 1)).length);
  expect(total).toBeGreaterThanOrEqual(5_201);
  const all = received.map(({ data }) => Number(Buffer.from(data).toString()));
  const last = Math.max(...all);
  expect(new Set(all).size).toBe(all.length);
  expect([...all].sort((a, b) => a - b)).toEqual(upTo(first, last + 1));
  const late = received.filter((message) => message.late !== null);
  const lateNumbers = late.map(({ data }) => Number(Buffer.from(data).toString()));
  expect(lateNumbers).toEqual([...lateNumbers].sort((a, b) => a - b));
  expect(late.length).toBeGreaterThanOrEqual(5_000);
  expect(late.slice(-100).every((message) => message.late !== null && message.late >= before && message.late <= after)).toBe(true);
});

it("a link that is cut again while samples are sent loses and doubles none", async () => {
  const { robot, received, publish } = await plant();
  await robot.cut();
  await publish(20_000);
  for (let times = 0; times < 3; times++) {
    const arrived = received.length;
    await robot.mend();
    await until(() => received.length > arrived);
    await robot.cut();
    await publish(10);
  }
  await robot.mend();
  await publish(1);
  await until(() => robot.logged.some((line) => line.startsWith("sent ")));
  const all = received.map(({ data }) => Number(Buffer.from(data).toString()));
  const first = Math.min(...all);
  expect([...all].sort((a, b) => a - b)).toEqual(upTo(first, first + all.length));
  expect(all.length).toBeGreaterThanOrEqual(20_030);
});

it("a subscriber that does not ask for late samples receives none", async () => {
  const { robot, received, publish, numbers } = await plant({ late: false });
  await robot.cut();
  const arrived = received.length;
  await publish(100);
  await robot.mend();
  await until(() => robot.bus.isLinked);
  while (received.length === arrived) await publish(1);
  expect(received.every(({ late }) => late === null)).toBe(true);
  expect((await numbers(arrived + 1))[arrived]).toBeGreaterThanOrEqual(100);
  expect(robot.logged).toEqual([]);
});

it("kept samples are on the disk and are sent by the next daemon", async () => {
  const { robot, received, publish } = await plant();
  await robot.cut();
  await publish(1_000);
  await robot.keeper.close();
  robot.begin();
  await robot.keeper.opened;
  await robot.mend();
  await until(() => received.filter(({ late }) => late !== null).length >= 1_000);
  const all = received.map(({ data }) => Number(Buffer.from(data).toString()));
  expect([...all].sort((a, b) => a - b)).toEqual(upTo(Math.min(...all), Math.min(...all) + all.length));
});

it("a program cannot publish late samples", async () => {
  const robot = await Host.open("robot");
  robot.keeper.configure(SPEC);
  const { permissionsOf } = await import("../../../../src/bus/broker/permissions.ts");
  expect(permissionsOf({ kind: "client", name: "arm" }).publish?.("late.arm.state")).toBe(false);
  expect(permissionsOf({ kind: "client", name: "arm" }).subscribe?.("late.arm.state", null)).toBe(true);
});
