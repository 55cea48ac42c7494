import { LinkSums, oldLinks } from "../../../src/features/network-statistics/manager/link-sum.ts";
import { problemsOf } from "../../../src/features/network-statistics/manager/problems.ts";
import type { NetworkInterface, NetworkLink, NetworkStats, NetworkTopology } from "../../../src/features/network-statistics/wire.ts";

type LinkKind = NetworkLink["children"][number]["kind"];

const KINDS = ["arm", "camera", "lidar", "base", "gripper"] as const;
/** Topic of a robot: messages a second, bytes each. */
const TOPICS = { arm: [1_000, 120], camera: [30, 230_400], lidar: [20, 65_536], base: [200, 90], gripper: [500, 48] } as const;
/** From this size on some hosts are on a radio behind a router. */
const LARGE = 20;

/**
 * Answers of a made-up manager on `bench` with `count` hosts at the time `tick`: robots that publish to it, cameras that arms listen to, one topic
 * that loses messages, a browser, and the last host lost.
 */
export function madeUpFleet(count: number, tick = 0): { stats: NetworkStats; topology: NetworkTopology } {
  const robots = namesOf(count);
  const hosts = ["bench", ...robots];
  const lost = robots.at(-1) ?? "";
  const ageOf = (host: string) => (host === lost ? 42 + tick * 2 : 0);
  const links = linksOf(robots, tick).filter((link) => link.from_host !== lost && link.to_host !== lost);
  const measured = {
    interfaces: interfacesOf(hosts, links).filter(({ host }) => host !== lost),
    tcp_links: robots.map((host, index) => ({
      from_host: host,
      to_host: "bench",
      name: "daemon",
      rtt_ms: 0.3 + index / 10,
      packets_s: 80,
      retransmits_s: index === 1 ? 0.4 : 0,
      age: ageOf(host),
    })),
    udp: hosts.map((host, index) => {
      const drops = index === 3 && count >= LARGE ? 3 : 0;
      return { host, receive_errors_s: drops, buffer_errors_s: drops, drops_s: drops, age: ageOf(host) };
    }),
  };
  const shortfalls = links.flatMap(({ from_host: from, to_host: to, children }) =>
    children
      .filter(({ packets_s, measured_packets_s }) => measured_packets_s < packets_s)
      .map(({ kind, name }) => ({ from, to, kind: kind as "topic", name, unit: "messages" as const, sent: 60, arrived: 54 })),
  );
  const unreachable = new Map([[lost, ageOf(lost)]]);
  const problems = problemsOf({ stats: measured, shortfalls, unreachable, wasUp: () => false });
  return { stats: { sample_seconds: 2, links, ...measured, problems, ...oldLinks(links) }, topology: topologyOf(robots) };
}

/** `arm-1`, `camera-1` … */
function namesOf(count: number): string[] {
  const digits = count > LARGE ? 2 : 1;
  return Array.from(
    { length: count - 1 },
    (_, index) => `${KINDS[index % KINDS.length]}-${String(Math.floor(index / KINDS.length) + 1).padStart(digits, "0")}`,
  );
}

const kindOf = (robot: string) => KINDS.find((kind) => robot.startsWith(kind)) ?? "arm";
const isOnRadio = (robot: string, count: number) => count >= LARGE - 1 && (kindOf(robot) === "base" || kindOf(robot) === "gripper");
/** Between 0.8 and 1.2, another one for each link and time. */
const wave = (seed: number, tick: number) => 1 + 0.2 * Math.sin(seed * 1.7 + tick / 3);

function linksOf(robots: readonly string[], tick: number): NetworkLink[] {
  const sums = new LinkSums();
  const add = (from: string, to: string, kind: LinkKind, name: string, [packets, size]: readonly [number, number], kept = 1) =>
    sums.add({ from, to }, { kind, name }, { packets, bytes: packets * size }, { packets: packets * kept, bytes: packets * size * kept });
  robots.forEach((robot, index) => {
    const kind = kindOf(robot);
    const [rate, size] = TOPICS[kind];
    const now = wave(index, tick);
    add("bench", robot, "topic", `${robot}/goal`, [10 * now, 96]);
    add("bench", robot, "daemon", robot, [25 * now, 310]);
    add(robot, "bench", "topic", `${robot}/state`, [rate * now, size]);
    add(robot, "bench", "daemon", robot, [80 * now, 420]);
    if (kind === "arm") {
      add("bench", robot, "service", `${robot}/move_to`, [2 * now, 96]);
      add(robot, "bench", "service", `${robot}/move_to`, [2 * now, 64]);
    }
    if (kind === "camera")
      add(robot, robot.replace("camera", "arm"), "topic", `${robot}/image`, [15 * now, 230_400], index === 1 ? 0.9 : 1);
  });
  for (let index = 0; index < browsersOf(robots); index++) {
    const now = wave(index + 0.5, tick);
    const ip = `10.0.0.${200 + index}`;
    add("bench", ip, "web", "websocket", [60 * now, 2_300]);
    add("bench", ip, "web", "http", [now, 8_000]);
    add(ip, "bench", "web", "websocket", [12 * now, 90]);
    add(ip, "bench", "web", "http", [now, 700]);
  }
  return sums.links();
}

const browsersOf = ({ length }: readonly string[]) => (length > LARGE ? 6 : length >= LARGE - 1 ? 2 : 1);

function interfacesOf(hosts: readonly string[], links: readonly NetworkLink[]): NetworkInterface[] {
  return hosts.flatMap((host, index) => {
    const total = (end: "from_host" | "to_host") =>
      links.filter((one) => one[end] === host).reduce((sum, { bytes_s }) => sum + bytes_s, 0) * 1.04;
    const port = (name: string, network: string | null, rx: number, tx: number, more: Partial<NetworkInterface> = {}) => ({
      host,
      interface: name,
      network,
      rx_bytes_s: rx,
      tx_bytes_s: tx,
      rx_packets_s: rx / 900,
      tx_packets_s: tx / 900,
      rx_errors_s: 0,
      tx_errors_s: 0,
      rx_drops_s: 0,
      tx_drops_s: 0,
      speed_bits_s: 1_000_000_000,
      up: true,
      ...more,
    });
    const radio = isOnRadio(host, hosts.length - 1);
    return [
      port(radio ? "wlan0" : "eth0", radio ? "field" : "lab", total("to_host"), total("from_host"), index === 1 ? { rx_drops_s: 12 } : {}),
      ...(hosts.length >= LARGE && index === 1 ? [port("wlan0", "field", 41_000, 62_000, { speed_bits_s: 300_000_000 })] : []),
      ...(index % 7 === 2 ? [port("eth1", null, 0, 0, { up: false, speed_bits_s: null })] : []),
      port("lo", null, 9_000, 9_000, { speed_bits_s: null }),
    ];
  });
}

function topologyOf(robots: readonly string[]): NetworkTopology {
  const router = robots.length >= LARGE - 1 ? robots[0] : undefined;
  const onRadio = robots.filter((robot) => isOnRadio(robot, robots.length));
  const wired = ["bench", ...robots.filter((robot) => !onRadio.includes(robot))];
  const lab = {
    name: "lab",
    netmasks: ["10.0.0.0/24"],
    interfaces: wired.map((host, index) => ({ host, interface: "eth0", ip: `10.0.0.${index + 1}` })),
  };
  if (router === undefined) return { networks: [lab], gateways: [] };
  const field = {
    name: "field",
    netmasks: ["192.168.4.0/24"],
    interfaces: [router, ...onRadio].map((host, index) => ({ host, interface: "wlan0", ip: `192.168.4.${index + 1}` })),
  };
  return { networks: [lab, field], gateways: [{ host: router, networks: ["lab", "field"] }] };
}
