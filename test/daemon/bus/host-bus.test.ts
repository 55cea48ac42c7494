import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Broker, type BrokerOptions, createBroker } from "../../../src/bus/broker/broker.ts";
import type { HubDial } from "../../../src/bus/broker/leaf/hub-connection.ts";
import type { Bus } from "../../../src/bus/client/bus.ts";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import { hubDial } from "../../../src/bus/client/hub-dial.ts";
import { busFiles } from "../../../src/daemon/bus/bus-files.ts";
import { HostBus } from "../../../src/daemon/bus/host-bus.ts";
import { until } from "../../bus/leaf/leaf-rig.ts";
import { makeCertificate } from "../../http/certificates.ts";
import { freePort } from "../../support/free-port.ts";
import { NatsServer } from "../../support/nats/nats-server.ts";

let folder: string;
let logged: string[];
const cleanups: (() => unknown)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-host-bus-"));
  logged = [];
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  rmSync(folder, { recursive: true, force: true });
});

async function open(hub?: () => HubDial): Promise<HostBus> {
  const bus = await HostBus.open({ host: "rt1", files: busFiles(folder), hub, log: (level, msg) => void logged.push(`${level}: ${msg}`) });
  cleanups.push(() => bus.close());
  return bus;
}

/** A bus opened later has a port that the kernel does not give to other programs while the bus is closed. */
function choosePort(): void {
  writeFileSync(join(folder, "bus.json"), JSON.stringify({ port: freePort(), token: "0".repeat(32) }), { mode: 0o600 });
}

async function visit(url: string): Promise<Bus> {
  const bus = await connectBus({ server: { kind: "url", urls: [url] }, name: "guest", waitForBroker: false });
  cleanups.push(() => bus.close());
  return bus;
}

const lost = (bus: Bus) => new Promise<void>((resolve) => bus.onConnection((isUp) => !isUp && resolve()));

it("gives each run an address with a token of its own, and connects the programs of the host", async () => {
  const bus = await open();
  const arm = await visit(bus.begin("1-1", "sim/arm"));
  const eye = await visit(bus.begin("1-2", "sim/eye"));
  expect(bus.broker.stats().clients.map(({ user }) => user)).toEqual(["client:sim/arm", "client:sim/eye"]);
  const heard = new Promise<string>((resolve) => eye.subscribe("topic.>", ({ subject }) => resolve(subject)));
  await eye.flush();
  arm.publish("topic.arm", "");
  expect(await heard).toBe("topic.arm");
  expect(new URL(bus.begin("1-3", "x")).username).toMatch(/^[0-9a-f]{32}$/);
});

it("closes the connections of a run when the run is over, and its token is then refused", async () => {
  const bus = await open();
  const url = bus.begin("1-1", "arm");
  const [arm, other] = [await visit(url), await visit(bus.begin("1-2", "eye"))];
  const end = lost(arm);
  bus.end("1-1");
  await end;
  await expect(visit(url)).rejects.toThrow(/Authorization Violation/i);
  await other.flush();
  expect(other.isConnected).toBe(true);
});

it.each([
  ["none", (place: string) => `nats://${place}`],
  ["an invented one", (place: string) => `nats://${"0".repeat(32)}@${place}`],
  ["a password", (place: string) => `nats://@local:secret@${place}`],
])("refuses a client with %s as its token", async (_what, url) => {
  const bus = await open();
  await expect(visit(url(`127.0.0.1:${bus.port}`))).rejects.toThrow(/Authorization Violation/i);
});

it("keeps port and address for local programs over a restart, in files that only their owner can read", async () => {
  choosePort();
  const first = await open();
  const url = readFileSync(join(folder, "bus.url"), "utf8").trim();
  expect(url).toBe(first.localUrl);
  for (const file of ["bus.url", "bus.json"]) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  await visit(url);
  await first.close();
  expect(() => statSync(join(folder, "bus.url"))).toThrow(/ENOENT/);
  const second = await open();
  expect(second.localUrl).toBe(url);
  expect(logged).toEqual([]);
});

it("uses another port if its own was taken meanwhile, and reports that", async () => {
  choosePort();
  const first = await open();
  await first.close();
  const squatter = createServer().listen(first.port, "127.0.0.1");
  await once(squatter, "listening");
  cleanups.push(() => new Promise((resolve) => squatter.close(resolve)));
  const second = await open();
  expect(second.port).not.toBe(first.port);
  expect(logged.join()).toMatch(/warning: the bus has another port than before.*is taken by pid/);
});

it("starts with defaults when its state file cannot be used", async () => {
  writeFileSync(join(folder, "bus.json"), '{"secret": "of an older version"}');
  expect((await visit((await open()).localUrl)).isConnected).toBe(true);
});

describe("with a hub that the manager names", () => {
  const linked = (bus: HostBus) => until(() => bus.broker.stats().links.some(({ is_up }) => is_up));
  const dialHub = (broker: Broker) => () => hubDial({ server: { kind: "memory", broker } });

  function hubBroker(options: BrokerOptions = {}): Broker {
    const broker = createBroker(options);
    cleanups.push(() => broker.close());
    return broker;
  }

  it("links to the manager's broker, which carries messages of the size that the manager allows", async () => {
    const payload = 3 * 1024 * 1024;
    const hub = hubBroker({ maxPayload: payload });
    const bus = await open(dialHub(hub));
    const arm = await visit(bus.begin("1-1", "arm"));
    expect(arm.connection.info?.max_payload).toBe(1024 * 1024);
    bus.follow({ hub: "manager", max_payload: payload, memory: null });
    await linked(bus);
    await arm.flush();
    expect(arm.connection.info?.max_payload).toBe(payload);
    const [onHub, probe] = [hub.port(), bus.broker.port()];
    const received = new Promise<number>((resolve) => onHub.subscribe("topic.image", ({ data }) => resolve(data.length)));
    // Interest is announced in order.
    onHub.subscribe("marker", () => {});
    await until(() => probe.publish("marker", ""));
    arm.publish("topic.image", Buffer.alloc(payload));
    expect(await received).toBe(payload);
    await arm.flush();
    expect(arm.isConnected).toBe(true);
  });

  it("changes to another hub when the manager names one, and disconnects from the first", async () => {
    const [one, two] = [hubBroker(), hubBroker()];
    let current = one;
    const bus = await open(() => dialHub(current)());
    bus.follow({ hub: "manager", max_payload: 1_048_576, memory: null });
    await linked(bus);
    bus.follow({ hub: null, max_payload: 1_048_576, memory: null });
    await until(() => one.stats().links.every(({ is_up }) => !is_up));
    current = two;
    bus.follow({ hub: "manager", max_payload: 1_048_576, memory: null });
    await until(() => two.stats().links.some(({ is_up }) => is_up));
    expect(one.stats().links.map(({ is_up }) => is_up)).toEqual([false]);
  });

  it("links to a nats-server over TLS, by the certificate authority that the manager gives", async () => {
    const { certFile, keyFile } = makeCertificate(folder, "hub");
    await using server = await NatsServer.start(
      `leafnodes {listen: "127.0.0.1:$LEAF_PORT", tls {cert_file: "${certFile}", key_file: "${keyFile}"}}`,
    );
    const bus = await open();
    const url = `tls://127.0.0.1:${server.leafPort}`;
    bus.follow({ hub: { url, ca: null }, max_payload: 1_048_576, memory: null });
    await until(() => /no link to the hub tls:.*self-signed certificate/.test(logged.join()));
    bus.follow({ hub: { url, ca: readFileSync(certFile, "utf8") }, max_payload: 1_048_576, memory: null });
    await linked(bus);
  });
});
