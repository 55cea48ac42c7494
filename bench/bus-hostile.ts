// Delay and losses of 20 honest publishers at 1 kHz while other programs of the host attack its broker, in each of seven ways and in all at once, and
// beside the same processor load off the bus. Peer: Debian's nats-server under the attacks that it knows. `npx tsx bench/bus-hostile.ts [ATTACK...]`
import { NatsServer } from "../test/support/nats/nats-server.ts";
import { ATTACKS, type AttackName, COMMON } from "./support/attacks.ts";
import { cpuMs, residentMib } from "./support/cpu.ts";
import { printFigure, rounded, sleep } from "./support/figure.ts";
import type { HonestAnswer, HonestQuestion } from "./support/honest-load.ts";
import type { HostBrokerState } from "./support/host-broker.ts";
import type { HostileQuestion } from "./support/hostile-load.ts";
import { Part } from "./support/part.ts";

const PUBLISHERS = 20;
const RATE = 1_000;
/** An attack takes so long to begin, and both are measured for so long. */
const [BEGIN_MS, MEASURE_MS, SETTLE_MS] = [1_000, 3_000, 300];
/** For messages that are on their way at the end. */
const MAX_ARRIVAL_MS = 10_000;
const part = (name: string, ...args: string[]) => Part.start(new URL(`./support/${name}.ts`, import.meta.url), ...args);

interface Server {
  readonly port: number;
  readonly pid: number;
  state(): Promise<HostBrokerState | null>;
}
interface Measured {
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly lost: number;
  /** Honest connections that were closed. */
  readonly cut: number;
  readonly gap: number | null;
  readonly cpu_gap: number | null;
  readonly mib: number;
  /** Parts of a processor. */
  readonly server_cpu: number;
  readonly load_cpu: number;
}

const chosen = process.argv.slice(2);
await using broker = await part("host-broker");
await using nats = await NatsServer.start();
await using publishers = await part("honest-load", "publishers");
await using subscribers = await part("honest-load", "subscribers");
/** Processor load beyond two processors is none. */
await using first = await part("hostile-load");
await using second = await part("hostile-load");
const loads = [first, second];
const ofBroker = await broker.ask<HostBrokerState>({});
const ours: Server = { port: ofBroker.port, pid: ofBroker.pid, state: () => broker.ask<HostBrokerState>({}) };
const theirs: Server = { port: nats.port, pid: nats.pid, state: async () => null };
const askPublishers = (question: HonestQuestion) => publishers.ask<HonestAnswer>(question);
const askSubscribers = (question: HonestQuestion) => subscribers.ask<HonestAnswer>(question);

/** Beside what the loads do. */
async function measure(server: Server, questions: readonly HostileQuestion[]): Promise<Measured> {
  const connect = { port: server.port, count: PUBLISHERS };
  await askSubscribers({ connect });
  await askPublishers({ connect });
  await askPublishers({ rate: RATE });
  await sleep(SETTLE_MS);
  for (const [index, question] of questions.entries()) await loads[index]?.ask<object>(question);
  await sleep(BEGIN_MS);
  await Promise.all([askSubscribers({ delays: "forget" }), server.state()]);
  const spent = () => [cpuMs(server.pid), loads.reduce((sum, { pid }) => sum + cpuMs(pid), 0)] as const;
  const [before, begin] = [spent(), performance.now()];
  let mib = 0;
  while (performance.now() - begin < MEASURE_MS) {
    await sleep(200);
    mib = Math.max(mib, residentMib(server.pid));
  }
  const [after, seconds] = [spent(), (performance.now() - begin) / 1_000];
  const [{ p50, p99 }, state] = await Promise.all([askSubscribers({ delays: "tell" }), server.state()]);
  for (const load of loads) await load.ask<object>({});
  const { sent, closed } = await askPublishers({ rate: 0 });
  const end = performance.now() + MAX_ARRIVAL_MS;
  let arrived = await askSubscribers({});
  while (arrived.received < sent && performance.now() < end) {
    await sleep(50);
    arrived = await askSubscribers({});
  }
  await Promise.all([askPublishers({ close: true }), askSubscribers({ close: true })]);
  await sleep(SETTLE_MS);
  const share = (index: 0 | 1) => rounded((after[index] - before[index]) / 1_000 / seconds);
  return {
    p50: rounded(p50),
    p99: rounded(p99),
    lost: sent - arrived.received,
    cut: closed + arrived.closed,
    gap: state === null ? null : rounded(state.gap, 0),
    cpu_gap: state === null ? null : rounded(state.cpuGap, 0),
    mib: Math.round(mib),
    server_cpu: share(0),
    load_cpu: share(1),
  };
}

const attack = (server: Server, names: readonly AttackName[]) => measure(server, [{ attack: { port: server.port, names } }]);

/** The processor time of server and attacker, as a load off the bus. */
function burnt(attacked: Measured, calm: Measured): HostileQuestion[] {
  const load = Math.min(loads.length, attacked.load_cpu + Math.max(0, attacked.server_cpu - calm.server_cpu));
  const count = Math.max(1, Math.ceil(load));
  return Array.from({ length: count }, () => ({ burn: load / count }));
}

const calm = { ours: await measure(ours, []), nats: await measure(theirs, []) };
const every = Object.keys(ATTACKS) as AttackName[];
const rounds: [name: string, ours: readonly AttackName[], theirs: readonly AttackName[]][] = [
  ...every.map((name): [string, AttackName[], AttackName[]] => [name, [name], COMMON.filter((each) => each === name)]),
  ["all", every, [...COMMON]],
];
const results: Record<string, { ours: Measured; beside_load: Measured; ratio: number; nats: Measured | null }> = {};
for (const [name, mine, peers] of rounds) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const attacked = await attack(ours, mine);
  const beside = await measure(ours, burnt(attacked, calm.ours));
  const ofNats = peers.length === 0 ? null : await attack(theirs, peers);
  results[name] = { ours: attacked, beside_load: beside, ratio: rounded(attacked.p99 / beside.p99), nats: ofNats };
  if (process.env.MGR_BENCH_VERBOSE) console.error(name, JSON.stringify(results[name]));
}
const all = results.all ?? Object.values(results)[0];
if (!all) throw new Error(`no attack is named ${chosen.join(", ")}; there are ${rounds.map(([name]) => name).join(", ")}`);
printFigure({
  figure: "bus-hostile",
  unit: `ms from ${PUBLISHERS} honest publishers at ${RATE} Hz to their subscribers, p99 under all attacks at once`,
  value: all.ours.p99,
  peer: "the same beside the same processor load off the bus",
  peer_value: all.beside_load.p99,
  lost: Object.values(results).reduce((sum, { ours: { lost } }) => sum + lost, 0),
  calm: { ours: calm.ours.p99, nats: calm.nats.p99 },
  ...Object.fromEntries(
    Object.entries(results).map(([name, { ours: mine, beside_load, ratio, nats: ofNats }]) => {
      const { p50, p99, lost, gap, cpu_gap, mib } = mine;
      const besides = { beside_load: [beside_load.p50, beside_load.p99], ratio };
      return [name, { p50, p99, ...besides, lost, gap, cpu_gap, mib, nats: ofNats && [ofNats.p50, ofNats.p99, ofNats.lost, ofNats.mib] }];
    }),
  ),
});
