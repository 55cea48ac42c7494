// Messages of 64 KiB a second from a program of one host to one of another, through the brokers of both hosts and the hub's between them, published as
// fast as the broker reads. Peer: Debian's nats-server three times, a hub with two leaves, same load. `npx tsx bench/bus-link.ts`
import { NatsServer } from "../test/support/nats/nats-server.ts";
import { cpuMs } from "./support/cpu.ts";
import { percentile, printFigure, rounded } from "./support/figure.ts";
import type { HostBrokerState } from "./support/host-broker.ts";
import type { LinkAnswer, LinkQuestion } from "./support/link-load.ts";
import { Part } from "./support/part.ts";

const SIZE = 65_536;
const COUNT = 6_000;
/** Rounds for each server, in turns; the median counts. */
const ROUNDS = 5;
const BROKER = new URL("./support/host-broker.ts", import.meta.url);
const LOAD = new URL("./support/link-load.ts", import.meta.url);

interface Path {
  readonly from: number;
  readonly to: number;
  readonly pids: readonly number[];
}

await using hub = await Part.start(BROKER);
const { port } = await hub.ask<HostBrokerState>({});
await using near = await Part.start(BROKER, JSON.stringify({ hub: port }));
await using far = await Part.start(BROKER, JSON.stringify({ hub: port }));
await using natsHub = await NatsServer.start('leafnodes {listen: "127.0.0.1:$LEAF_PORT"}');
const leaf = `leafnodes {remotes: [{url: "nats://127.0.0.1:${natsHub.leafPort}"}]}`;
await using natsNear = await NatsServer.start(leaf);
await using natsFar = await NatsServer.start(leaf);
const portOf = async (part: Part) => (await part.ask<HostBrokerState>({})).port;
const paths: Record<"ours" | "theirs", Path> = {
  ours: { from: await portOf(near), to: await portOf(far), pids: [near.pid, hub.pid, far.pid] },
  theirs: { from: natsNear.port, to: natsFar.port, pids: [natsNear.pid, natsHub.pid, natsFar.pid] },
};
await using load = await Part.start(LOAD);

interface Round {
  readonly rate: number;
  readonly lost: number;
  /** Processor time of all three servers, microseconds a message. */
  readonly cpu: number;
}
const rounds: Record<keyof typeof paths, Round[]> = { ours: [], theirs: [] };
for (let round = 0; round < ROUNDS; round++)
  for (const who of ["ours", "theirs"] as const) {
    const { pids, ...way } = paths[who];
    const spent = () => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
    const before = spent();
    const question: LinkQuestion = { ...way, size: SIZE, count: COUNT };
    const { received, perSecond } = await load.ask<LinkAnswer>(question);
    rounds[who].push({ rate: perSecond, lost: COUNT - received, cpu: ((spent() - before) * 1_000) / received });
  }
const median = (who: keyof typeof paths, key: "rate" | "cpu") =>
  percentile(
    rounds[who].map((one) => one[key]),
    0.5,
  );
const lost = (who: keyof typeof paths) => rounds[who].reduce((sum, one) => sum + one.lost, 0);
printFigure({
  figure: "bus-link",
  unit: "messages/s of 64 KiB from host to host through the hub",
  value: Math.round(median("ours", "rate")),
  peer: "nats-server (Debian), three servers with leaf nodes, same load",
  peer_value: Math.round(median("theirs", "rate")),
  ratio: rounded(median("ours", "rate") / median("theirs", "rate")),
  lost: lost("ours"),
  peer_lost: lost("theirs"),
  messages: COUNT * ROUNDS,
  cpu_us_per_message: rounded(median("ours", "cpu"), 0),
  peer_cpu_us_per_message: rounded(median("theirs", "cpu"), 0),
});
