import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Svcm } from "@nats-io/services";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Bus } from "../../../src/bus/client/bus.ts";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import type { NetworkStats, NetworkTopology } from "../../../src/features/network-statistics/wire.ts";
import { frameConforms } from "../../contract/check.ts";
import { NEEDS_NETWORKS } from "../../features/network-statistics/contract.ts";
import { says } from "../support/children.ts";
import type { Client } from "../support/client.ts";
import { Fleet } from "../support/fleet.ts";
import { eventually } from "../support/wait.ts";
import { aNewSample, Stretch, type Truth, truthOf } from "./network-rig.ts";

/** Bytes of messages and datagrams. */
const SIZE = 1_000;
const PAYLOAD = Buffer.alloc(SIZE, "x");
const MESSAGES = 2_000;
/** More than a broker keeps for a slow subscriber and the kernel for both of them: a part of it is lost. */
const FLOOD = { messages: 2_200, payload: Buffer.alloc(10_000, "x") };
/** Messages under way at most: less than any queue holds. */
const BURST = 250;
/** Large messages, so that the headers of packets are a small part of what an interface carries. Less than any queue holds is under way. */
const BULK = { count: 320, payload: Buffer.alloc(64_000, "x"), burst: 40 };
const CALLS = 300;
const DATAGRAMS = 3_000;
const UDP_PORT = 9_000;
const MACHINES = { manager: "10.77.0.2", a: "10.77.0.1", b: "10.77.0.1" };
const SENDER = `import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(${DATAGRAMS}): s.sendto(b"x" * ${SIZE}, ("10.88.0.2", ${UDP_PORT}))`;
/** What `ip -j addr` shows: addresses that other machines can have a network with, and their networks. */
const NETWORKS_BY_IP = `import ipaddress, json, sys
print(json.dumps([{"ip": own["local"], "port": port["ifname"], "cidr": str(ipaddress.ip_interface("%s/%d" % (own["local"], own["prefixlen"])).network)}
  for port in json.loads(sys.argv[1]) for own in port["addr_info"] if own["scope"] == "global"]))`;
const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));

let fleet: Fleet;
let client: Client;
/** Messages before there was a subscriber. */
let tried = 0;
/** Canonical name of the manager's host. */
let local = "";
const buses = new Map<string, Bus>();
let sockets: Record<string, { port: number; token: string }> = {};
/** Messages that the test has received on b, and who waits for how many. */
let got = 0;
let expected = { count: 0, reached: () => {} };

const read = async (): Promise<ReadonlyMap<string, Truth>> =>
  new Map(
    await Promise.all(
      Object.entries(MACHINES).map(async ([name, peer]) => [name === "manager" ? local : name, await truthOf(fleet, name, peer)] as const),
    ),
  );
const truth = (host: string, of: (truth: Truth) => number) => (truths: ReadonlyMap<string, Truth>) => {
  const found = truths.get(host);
  return found ? of(found) : Number.NaN;
};
const measure = (traffic: () => Promise<void>) => Stretch.measure(client, read, traffic);
const bus = (host: string) => {
  const found = buses.get(host);
  if (!found) throw new Error(`${host} has no bus`);
  return found;
};

beforeAll(async () => {
  fleet = await Fleet.up({ hosts: ["a", "b"], processes: {}, networks: { lab: { netmasks: ["10.77.0.0/16"] } } });
  fleet.cable("eth1", { a: "10.88.0.1/20", b: "10.88.0.2/20" });
  await fleet.exec("a", "ip", "addr", "add", "fd88::1/64", "dev", "eth1", "nodad");
  for (const machine of Object.keys(MACHINES))
    await fleet.exec(machine, "sh", "-ec", `echo ${machine === "a" ? 1 : 0} > /proc/sys/net/ipv4/ip_forward`);
  client = await fleet.connect();
  local = ((await client.snapshot()).manager as { host: string }).host;
  for (const host of ["a", "b"]) {
    const { path, port, token } = await fleet.bus(host);
    sockets = { ...sockets, [host]: { port, token } };
    buses.set(host, await connectBus({ server: { kind: "unix", path }, name: `test ${host}`, token }));
  }
  bus("b").subscribe("topic.arm.state", () => {
    if (++got === expected.count) expected.reached();
  });
  const service = await new Svcm(bus("b").connection).add({ name: "adder", version: "1.0.0" });
  service.addEndpoint("add", { subject: "svc.adder.add", handler: (_error, message) => void message.respond(PAYLOAD) });
  await bus("b").flush();
  // Interest takes its time through two links; then the manager knows who publishes, subscribes and serves.
  await eventually("a message arrives", () => {
    tried++;
    bus("a").publish("topic.arm.state", PAYLOAD);
    return got > 0;
  });
  await eventually("an answer arrives", () =>
    bus("a")
      .request("svc.adder.add", PAYLOAD, { timeoutMs: 1_000 })
      .catch(() => null),
  );
  await settled();
  await subscribers(1);
  // A first sample.
  await fleet.get("/mgr/metrics");
  await eventually("the subjects of the service are known", async () => {
    await bus("a").request("svc.adder.add", PAYLOAD, { timeoutMs: 60_000 });
    await aNewSample();
    const { links } = (await client.ask({ type: "request_network_stats", sample_mode: "previous" })).stats as NetworkStats;
    return links.some(({ from_host, children }) => from_host === "b" && children.some(({ name }) => name === "adder"));
  });
});
afterAll(async () => {
  for (const connection of buses.values()) await connection.close();
  await fleet?.[Symbol.asyncDispose]();
});

/** The manager knows so many of the topic. */
async function subscribers(count: number): Promise<void> {
  await eventually(`the manager knows ${count} subscribers`, async () => {
    const { topics } = await client.snapshot();
    return (topics as { name: string; subscribers: number }[]).some((one) => one.name === "arm/state" && one.subscribers === count);
  });
}

function isGone(host: unknown): boolean {
  const { name, daemon_ready } = host as { name: string; daemon_ready: boolean };
  return name === "b" && !daemon_ready;
}

/** Nothing is under way any more. */
async function settled(): Promise<void> {
  let before = -1;
  await eventually("no more messages come", async () => {
    await bus("a").flush();
    await bus("b").flush();
    const isQuiet = got === before;
    before = got;
    return isQuiet;
  });
}

/** In bursts, each of which has arrived before the next one begins: no queue grows. */
async function publish(count: number, payload = PAYLOAD, most = BURST): Promise<void> {
  for (let sent = 0; sent < count; ) {
    const burst = Math.min(most, count - sent);
    const arrived = new Promise<void>((reached) => {
      expected = { count: got + burst, reached };
    });
    for (let message = 0; message < burst; message++) bus("a").publish("topic.arm.state", payload);
    await arrived;
    sent += burst;
  }
}

/** Starts a program that says that it is up; resolves with a function that tells it to go on, and resolves with the number that it says then. */
async function prompted(machine: string, words: readonly string[]): Promise<() => Promise<number>> {
  const program = fleet.run(machine, words);
  await says(program, /^up$/m);
  return async () => {
    let text = "";
    program.stdout.on("data", (chunk) => {
      text += chunk;
    });
    program.stdin.write("\n");
    await once(program, "close");
    return Number(/\d+/.exec(text)?.[0]);
  };
}

describe("two hosts and a manager with known traffic", () => {
  let stretch: Stretch;
  let found = 0;
  let arrived = 0;
  let metrics: { before: ReadonlyMap<string, Truth>; text: string; after: ReadonlyMap<string, Truth> };
  beforeAll(async () => {
    const receive = await prompted("b", ["python3", fixture("network/udp-sink.py"), "10.88.0.2", String(UDP_PORT)]);
    stretch = await measure(async () => {
      const sender = fleet.run("a", ["python3", "-c", SENDER]);
      const sent = once(sender, "close");
      await publish(MESSAGES);
      for (let call = 0; call < CALLS; call++) await bus("a").request("svc.adder.add", PAYLOAD, { timeoutMs: 60_000 });
      await sent;
    });
    found = await receive();
    arrived = got;
    await aNewSample();
    const before = await read();
    metrics = { before, text: String(await fleet.get("/mgr/metrics")), after: await read() };
  });

  test("a topic has the messages and bytes that were sent, at both ends, and no loss", () => {
    const { packets_s, bytes_s, measured_packets_s, measured_bytes_s } = stretch.child("a", "b", "topic", "arm/state");
    stretch.expectRate("messages of the sender", packets_s, MESSAGES);
    stretch.expectRate("bytes of the sender", bytes_s, MESSAGES * SIZE);
    stretch.expectRate("messages of the receiver", measured_packets_s, MESSAGES);
    stretch.expectRate("bytes of the receiver", measured_bytes_s, MESSAGES * SIZE);
    expect(stretch.problems("loss")).toEqual([]);
  });

  test("a service has the requests, and the reverse link has the answers", () => {
    for (const [from, to] of [
      ["a", "b"],
      ["b", "a"],
    ] as const) {
      const { packets_s, bytes_s, measured_packets_s, measured_bytes_s } = stretch.child(from, to, "service", "adder");
      stretch.expectRate(`messages from ${from}`, packets_s, CALLS);
      stretch.expectRate(`messages to ${to}`, measured_packets_s, CALLS);
      stretch.expectRate(`bytes from ${from}`, bytes_s, CALLS * SIZE);
      stretch.expectRate(`bytes to ${to}`, measured_bytes_s, CALLS * SIZE);
    }
    expect(stretch.problems("loss")).toEqual([]);
  });

  test("the connections of daemons have round-trip times at both ends", () => {
    const ends = stretch.stats.tcp_links.map(({ from_host, to_host }) => `${from_host} ${to_host}`);
    expect(ends.sort()).toEqual([`a ${local}`, `b ${local}`, `${local} a`, `${local} b`].sort());
  });

  test("interfaces have what /proc/net/dev has, and their addresses, speeds and states", async () => {
    for (const host of ["a", "b"]) for (const name of ["lo", "eth0", "eth1"]) stretch.expectInterface(host, name);
    stretch.expectInterface(local, "eth0");
    const speed = Number(await fleet.exec("a", "cat", "/sys/class/net/eth1/speed")) * 1_000_000;
    expect(stretch.interface("a", "eth1")).toMatchObject({ network: "10.88.0.0/20", up: true, speed_bits_s: speed });
    expect(stretch.interface("b", "eth0")).toMatchObject({ network: "lab", up: true });
    // The manager's machine sees the /sys of this one.
    expect(stretch.interface(local, "eth0")).toMatchObject({ network: "lab", up: true, speed_bits_s: null });
  });

  test("datagrams that a program does not read are counted as lost, and are a problem", () => {
    expect(found).toBeGreaterThan(0);
    expect(found).toBeLessThan(DATAGRAMS / 2);
    const row = stretch.stats.udp.find(({ host }) => host === "b");
    const errors = truth("b", ({ udpErrors }) => udpErrors);
    for (const key of ["receive_errors_s", "buffer_errors_s", "drops_s"] as const) stretch.expectKernel(key, row?.[key] ?? 0, errors);
    expect(stretch.problems("udp_drops")).toMatchObject([
      { host: "b", message: expect.stringMatching(/^b loses \d+ UDP datagrams.*buffer/) },
    ]);
  });

  test("/mgr/metrics has the same counters", () => {
    expect(metrics.text).toContain(`mgr_topic_messages_total{host="a",topic="arm/state",end="published"} ${tried + MESSAGES}\n`);
    expect(metrics.text).toContain(`mgr_topic_messages_total{host="b",topic="arm/state",end="arrived"} ${arrived}\n`);
    expect(metrics.text).toContain(`mgr_topic_bytes_total{host="b",topic="arm/state",end="arrived"} ${arrived * SIZE}\n`);
    for (const [host, name] of [
      ["a", "eth0"],
      ["a", "eth1"],
      ["b", "eth1"],
      [local, "eth0"],
    ] as const) {
      for (const [metric, column] of [
        [`mgr_network_bytes_total{host="${host}",interface="${name}",direction="received"}`, 0],
        [`mgr_network_packets_total{host="${host}",interface="${name}",direction="sent"}`, 9],
      ] as const) {
        const value = Number(
          metrics.text
            .split("\n")
            .find((line) => line.startsWith(metric))
            ?.split(" ")
            .at(-1),
        );
        expect(value, metric).toBeGreaterThanOrEqual(metrics.before.get(host)?.interfaces.get(name)?.[column] ?? Number.NaN);
        expect(value, metric).toBeLessThanOrEqual(metrics.after.get(host)?.interfaces.get(name)?.[column] ?? Number.NaN);
      }
    }
  });
});

test("clients on other machines have the addresses of their machines", async () => {
  const { clients } = await client.snapshot();
  const addresses = (clients as { name: string; host: string; address: string }[]).flatMap(({ name, host, address }) =>
    name === `test ${host}` ? [`${host} ${address}`] : [],
  );
  for (const name of ["a", "b"]) {
    const [, ip = ""] = / inet ([\d.]+)/.exec(await fleet.exec(name, "ip", "addr", "show", "eth0")) ?? [];
    expect(addresses.filter((one) => one.startsWith(`${name} ${ip}:`))).toHaveLength(1);
  }
});

test("the links of a host have the bytes that its interface has carried, each once, and an intermediate hop is no link", async () => {
  const { count, payload, burst } = BULK;
  const stretch = await measure(() => publish(count, payload, burst));
  stretch.expectRate("bytes of the topic", stretch.link("a", "b").bytes_s, count * payload.length);
  stretch.expectKernel(
    "bytes of all links from a",
    stretch.sum("from_host", "a", "bytes_s"),
    truth("a", ({ interfaces }) => interfaces.get("eth0")?.[8] ?? Number.NaN),
  );
  stretch.expectKernel(
    "bytes of all links to b",
    stretch.sum("to_host", "b", "measured_bytes_s"),
    truth("b", ({ interfaces }) => interfaces.get("eth0")?.[0] ?? Number.NaN),
  );
  for (const [from, to] of [
    ["a", local],
    [local, "b"],
  ] as const) {
    const { children, bytes_s, measured_bytes_s } = stretch.link(from, to);
    expect(children.map(({ kind }) => kind)).toEqual(["daemon"]);
    expect(Math.max(bytes_s, measured_bytes_s)).toBeLessThan(stretch.link("a", "b").bytes_s / 20);
  }
  // The manager's machine has carried it twice: in and out.
  stretch.expectInterface(local, "eth0");
  expect(stretch.interface(local, "eth0").rx_bytes_s).toBeGreaterThan(stretch.link("a", "b").bytes_s * 0.9);
  expect(stretch.problems("loss")).toEqual([]);
});

test("topology has the networks, netmasks and gateways that the machines' `ip` shows", async () => {
  const found = await topology();
  expect(found).toEqual(await topologyByIp());
  expect(found.gateways).toEqual([{ host: "a", networks: ["10.88.0.0/20", "fd88::/64", "lab"] }]);
});

test("the losses of a flood to a slow subscriber are the difference of both ends, and a problem", async () => {
  const { port = 0, token = "" } = sockets.b ?? {};
  const receive = await prompted("b", ["python3", fixture("network/slow-subscriber.py"), String(port), token, "topic.arm.state"]);
  await subscribers(2);
  const stretch = await measure(() => publish(FLOOD.messages, FLOOD.payload));
  const taken = await receive();
  expect(taken).toBeLessThan(FLOOD.messages * 0.9);
  const { packets_s, bytes_s, measured_packets_s, measured_bytes_s } = stretch.child("a", "b", "topic", "arm/state");
  stretch.expectRate("messages of the sender", packets_s, FLOOD.messages);
  stretch.expectRate("bytes of the sender", bytes_s, FLOOD.messages * FLOOD.payload.length);
  stretch.expectRate("messages of the receiver", measured_packets_s, taken);
  stretch.expectRate("bytes of the receiver", measured_bytes_s, taken * FLOOD.payload.length);
  expect(stretch.problems("loss")).toMatchObject([
    {
      host: "a",
      peer: "b",
      child: { kind: "topic", name: "arm/state" },
      message: expect.stringContaining(`(${FLOOD.messages} sent, ${taken} received)`),
    },
  ]);
  for (const host of ["a", "b", local]) stretch.expectInterface(host, "eth0");
});

test("packets that a link loses are counted as retransmissions, and are a problem", async () => {
  fleet.link("a", "lossy");
  const { tcp: before } = await truthOf(fleet, "a", MACHINES.a);
  const stretch = await measure(async () => {
    for (;;) {
      await publish(BURST);
      const { tcp } = await truthOf(fleet, "a", MACHINES.a);
      // More than the limit in any part of the time.
      if (tcp.retransmits - before.retransmits > 0.03 * (tcp.segments - before.segments)) return;
    }
  });
  fleet.link("a", "good");
  const row = stretch.stats.tcp_links.find(({ from_host, to_host }) => from_host === "a" && to_host === local);
  stretch.expectKernel(
    "segments sent again",
    row?.retransmits_s ?? 0,
    truth("a", ({ tcp }) => tcp.retransmits),
  );
  expect(row?.retransmits_s).toBeGreaterThan(0);
  expect(stretch.problems("retransmissions")).toContainEqual(
    expect.objectContaining({
      host: "a",
      peer: local,
      message: expect.stringMatching(/segments from a to .* are sent again.*Check cables/),
    }),
  );
});

test("an interface that goes down is a problem of its host, and keeps its place in the networks", async () => {
  await fleet.exec("a", "ip", "link", "set", "eth1", "down");
  const stretch = await measure(async () => {});
  expect(stretch.interface("a", "eth1").up).toBe(false);
  expect(stretch.problems("link_down")).toContainEqual(
    expect.objectContaining({ host: "a", interface: "eth1", message: expect.stringContaining("eth1 of a is down") }),
  );
  expect(await topology()).toEqual(await topologyByIp());
});

test("the rates of a lost host are removed from links and interfaces, also in an archive, and the host is a problem", async () => {
  expect((await measure(async () => {})).interface("b", "eth0").up).toBe(true);
  const from = client.here;
  await fleet.killDaemon("b");
  const archive = fleet.get("/save-all?name=x");
  await client.until("b is lost", ({ type, host }) => type === "host_upsert" && isGone(host), from);
  const file = execFileSync("tar", ["xjO", "x/network.json"], { input: await archive, encoding: "utf8" });
  const kept = JSON.parse(file) as { ok: boolean; stats: NetworkStats; topology: NetworkTopology };
  expect(frameConforms({ type: "network_stats", ok: kept.ok, stats: kept.stats })).toEqual([]);
  expect(sorted(kept.topology)).toEqual(await topologyByIp());
  const { stats } = await measure(async () => {});
  for (const now of [kept.stats, stats]) {
    expect(now.interfaces.map(({ host }) => host)).toEqual(expect.arrayContaining(["a", local]));
    expect(now.interfaces.map(({ host }) => host)).not.toContain("b");
    expect(now.links.flatMap(({ from_host, to_host }) => [from_host, to_host])).not.toContain("b");
    expect(now.problems.filter(({ kind }) => kind === "unreachable")).toMatchObject([
      { host: "b", message: expect.stringMatching(/^b does not answer; it was last heard \d+ s ago/) },
    ]);
  }
});

test("every resource of several machines was seen", () => {
  expect(NEEDS_NETWORKS.filter((name) => !client.seen.has(name))).toEqual([]);
});

/** As the machines' own programs show them; networks by the rules of docs/network.md. */
async function topologyByIp(): Promise<NetworkTopology> {
  const networks = new Map([
    ["lab", { name: "lab", netmasks: ["10.77.0.0/16"], interfaces: [] as NetworkTopology["networks"][number]["interfaces"] }],
  ]);
  const gateways: NetworkTopology["gateways"] = [];
  for (const machine of Object.keys(MACHINES)) {
    const host = machine === "manager" ? local : machine;
    const own = new Set<string>();
    const words = ["python3", "-c", NETWORKS_BY_IP, await fleet.exec(machine, "ip", "-j", "addr")];
    for (const { ip, port, cidr } of JSON.parse(await fleet.exec(machine, ...words)) as { ip: string; port: string; cidr: string }[]) {
      const name = ip.startsWith("10.77.") ? "lab" : cidr;
      const network = networks.get(name) ?? { name, netmasks: [name], interfaces: [] };
      networks.set(name, network);
      network.interfaces.push({ host, interface: port, ip });
      own.add(name);
    }
    const settings = JSON.parse(await fleet.exec(machine, "ip", "-j", "netconf")) as { interface: string; forwarding: boolean }[];
    const forwards = settings.some(({ interface: name, forwarding }) => name === "all" && forwarding);
    if (forwards && own.size > 1) gateways.push({ host, networks: [...own] });
  }
  return sorted({ networks: [...networks.values()], gateways });
}

async function topology(): Promise<NetworkTopology> {
  const answer = await client.ask({ type: "request_network_topology" });
  return sorted(answer.topology as NetworkTopology);
}

function sorted({ networks, gateways }: NetworkTopology): NetworkTopology {
  const by = <T>(values: T[]) => values.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  return {
    networks: by(networks.map((network) => ({ ...network, interfaces: by(network.interfaces) }))),
    gateways: by(gateways.map((gateway) => ({ ...gateway, networks: gateway.networks.toSorted() }))),
  };
}
