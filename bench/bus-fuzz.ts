// Random valid and invalid operations of 50 clients of a host's broker whose budgets are all small, beside a publisher that must not lose a message.
// Once a minute all 50 leave: then nothing of theirs may be left, and the heap must not grow from the first minute to the last. Not run by
// bench/run.ts. `npx tsx bench/bus-fuzz.ts`; MGR_FUZZ_MINUTES (10 by default), MGR_FUZZ_SEED.
import { printFigure, rounded, sleep } from "./support/figure.ts";
import type { FuzzQuestion } from "./support/fuzz-clients.ts";
import type { HonestAnswer, HonestQuestion } from "./support/honest-load.ts";
import type { HostBrokerState } from "./support/host-broker.ts";
import { Part } from "./support/part.ts";

const MINUTES = Number(process.env.MGR_FUZZ_MINUTES ?? 10);
const SEED = Number(process.env.MGR_FUZZ_SEED ?? 1);
const CLIENTS = 50;
const RATE = 200;
const ROUND_MS = Math.min(60_000, MINUTES * 20_000);
const CHECK_INTERVAL_MS = 500;
/** Until all clients have been closed, and until the last message has arrived. */
const QUIET_MS = 120_000;
/** Standstill of the broker's event loop that is allowed, and growth of its heap, MiB. */
const [MAX_GAP_MS, MAX_GROWTH_MIB] = [500, 8];
const KIB = 1024;
const LIMITS = {
  memory: 4 * 1024 * KIB,
  maxPayload: 64 * KIB,
  maxPending: 256 * KIB,
  maxClients: 45,
  maxSubscriptions: 200,
  maxSubscriptionBytes: 200 * KIB,
  maxProgramSubscriptions: 300,
  maxProgramSubscriptionBytes: 300 * KIB,
  maxClientsSubscriptions: 2_000,
  maxClientsSubscriptionBytes: 2_000 * KIB,
  maxGroupMembersOfClient: 50,
  maxGroupMembersOfProgram: 80,
  maxGroupMembers: 200,
  pingIntervalMs: 2_000,
  authTimeoutMs: 1_000,
};

const part = (name: string, ...args: string[]) => Part.start(new URL(`./support/${name}.ts`, import.meta.url), ...args);
await using broker = await part("host-broker", JSON.stringify(LIMITS));
await using publisher = await part("honest-load", "publishers");
await using subscriber = await part("honest-load", "subscribers");
await using clients = await part("fuzz-clients", String(CLIENTS), String(SEED));
const state = (gc = false) => broker.ask<HostBrokerState>({ gc });
const askPublisher = (question: HonestQuestion) => publisher.ask<HonestAnswer>(question);
const askSubscriber = (question: HonestQuestion) => subscriber.ask<HonestAnswer>(question);
const fuzz = (question: FuzzQuestion) => clients.ask<{ operations: number; connections: number }>(question);

const { port } = await state();
const connect = { port, count: 1 };
await askSubscriber({ connect });
await askPublisher({ connect });
await askPublisher({ rate: RATE });
/** Counters that the broker has with the honest pair alone, and has again when all others have left. */
const counts = ({ clients, subscriptions, memoryUsed }: HostBrokerState) => JSON.stringify({ clients, subscriptions, memoryUsed });
const calm = counts(await state());
const failures: string[] = [];
const heaps: number[] = [];
let [gap, cpuGap, lost, done] = [0, 0, 0, { operations: 0, connections: 0 }];

/** Nothing but the honest pair is left. */
async function quietPoint(): Promise<void> {
  done = await fuzz({ port: null });
  const { sent } = await askPublisher({ rate: 0 });
  const end = performance.now() + QUIET_MS;
  let now = await state();
  let { received } = await askSubscriber({ delays: "forget" });
  while ((now.clients > 2 || received < sent) && performance.now() < end) {
    await sleep(CHECK_INTERVAL_MS);
    now = await state();
    ({ received } = await askSubscriber({}));
  }
  now = await state(true);
  heaps.push(now.heap / KIB / KIB);
  lost = sent - received;
  if (counts(now) !== calm) failures.push(`without clients, the broker has ${counts(now)}, at first ${calm}`);
  if (process.env.MGR_BENCH_VERBOSE) console.error(JSON.stringify({ ...done, heap: heaps.at(-1), sent, received, gap, cpuGap }));
  // Garbage collection is not the broker's work.
  await state();
  await askPublisher({ rate: RATE });
}

const begin = performance.now();
while (performance.now() - begin < MINUTES * 60_000 && failures.length === 0) {
  await fuzz({ port });
  for (const from = performance.now(); performance.now() - from < ROUND_MS; await sleep(CHECK_INTERVAL_MS)) {
    const now = await state();
    gap = Math.max(gap, now.gap);
    cpuGap = Math.max(cpuGap, now.cpuGap);
  }
  await quietPoint();
}
const { errors, logged } = await state();
const { closed } = await askPublisher({ rate: 0 });
const growth = (heaps.at(-1) ?? 0) - (heaps[0] ?? 0);
if (errors.length > 0) failures.push(`${errors.length} errors, first: ${errors[0]}`);
if (lost > 0 || closed > 0) failures.push(`${lost} messages of the honest publisher were lost, ${closed} connections closed`);
if (cpuGap > MAX_GAP_MS) failures.push(`the event loop stood still for ${Math.round(gap)} ms (${Math.round(cpuGap)} ms of processor time)`);
if (growth > MAX_GROWTH_MIB) failures.push(`the heap grew by ${rounded(growth)} MiB`);
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;
printFigure({
  figure: "bus-fuzz",
  unit: `MiB of heap after ${MINUTES} minutes of random operations of ${CLIENTS} clients`,
  value: rounded(heaps.at(-1) ?? 0),
  peer: "the same after the first minute",
  peer_value: rounded(heaps[0] ?? 0),
  ...done,
  seed: SEED,
  longest_gap_ms: rounded(gap, 0),
  longest_gap_cpu_ms: rounded(cpuGap, 0),
  lost,
  errors: errors.length,
  log_entries: logged,
  failures: failures.length,
});
