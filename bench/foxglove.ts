// Topics through the Foxglove door to 1 and 16 viewers: how old messages are when they arrive and what they cost the processor, at 10 topics × 100 Hz, and how many arrive
// while a program publishes as fast as its broker reads. Peer: a bare `ws` server that sends the same binary messages. `npx tsx bench/foxglove.ts`
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cpuMs } from "./support/cpu.ts";
import { medianOf, percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import type { ViewersCount, ViewersQuestion } from "./support/foxglove-viewers.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";

const VIEWERS = [1, 16];
const TOPICS = 10;
/** Messages a second of all topics. */
const RATE = 1_000;
/** Of each number of viewers, ours and peer in turn; the median counts. */
const ROUNDS = Number(process.env.MGR_BENCH_ROUNDS ?? 3);
const WARM_UP_MS = 4_000;
const SETTLE_MS = 700;
const MEASURE_MS = 1_000 * Number(process.env.MGR_BENCH_SECONDS ?? 3);
const TOPICS_PART = new URL("./support/stamped-topics.ts", import.meta.url);
const BARE = new URL("./support/bare-viewer-server.ts", import.meta.url);
const VIEWERS_PART = new URL("./support/foxglove-viewers.ts", import.meta.url);

interface Server {
  readonly url: string;
  /** Number of topics that viewers subscribe to; 0: without subscriptions. */
  readonly topics: number;
  readonly load: Part;
  readonly cpu: () => number;
}

interface Measured {
  /** Messages a second that all viewers together receive. */
  readonly rate: number;
  /** Processor time of the server's programs for each message that a viewer receives, microseconds. */
  readonly cpuUs: number;
  /** Age of messages, milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

async function measured(viewers: Part, { load, cpu }: Server, rate: number | null): Promise<Measured> {
  const count = () => viewers.ask<ViewersCount>({} satisfies ViewersQuestion);
  await load.ask({ rate });
  await sleep(SETTLE_MS);
  const [before, cpuBefore, begin] = [await count(), cpu(), performance.now()];
  await sleep(MEASURE_MS);
  const [after, cpuAfter, end] = [await count(), cpu(), performance.now()];
  await load.ask({ rate: 0 });
  await sleep(SETTLE_MS);
  const messages = after.messages - before.messages;
  if (messages === 0) throw new Error("no message arrived");
  return {
    rate: messages / ((end - begin) / 1_000),
    cpuUs: ((cpuAfter - cpuBefore) * 1_000) / messages,
    p50: percentile(after.ages, 0.5),
    p99: percentile(after.ages, 0.99),
  };
}

await using manager = await BenchManager.up({});
const state = join(manager.dir, "state");
const bus = new URL(readFileSync(join(state, "bus.url"), "utf8").trim());
const client = await manager.connect();
const { secret } = await client.ask({ type: "create_access_token", name: "bench", role: "viewer", for_url: true });
await using topics = await Part.start(TOPICS_PART, bus.port, bus.username, String(TOPICS));
await using bare = await Part.start(BARE);
await using viewers = await Part.start(VIEWERS_PART);
const { url: bareUrl } = await bare.ask<{ url: string }>({ rate: 0 });
const servers: Record<"ours" | "theirs", Server> = {
  ours: {
    url: `${manager.url}/mgr/foxglove?token=${String(secret)}`,
    topics: TOPICS,
    load: topics,
    cpu: () => Object.values(manager.cpu()).reduce((sum, one) => sum + one, 0),
  },
  theirs: { url: bareUrl, topics: 0, load: bare, cpu: () => cpuMs(bare.pid) },
};
// Topics exist once something was published.
await topics.ask({ rate: RATE });
await sleep(SETTLE_MS);

const results = [];
for (const count of VIEWERS) {
  const steady: Record<keyof typeof servers, Measured[]> = { ours: [], theirs: [] };
  const flood: typeof steady = { ours: [], theirs: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const who of ["ours", "theirs"] as const) {
      const { url, topics: subscribed, load } = servers[who];
      await viewers.ask({ open: { url, count, topics: subscribed } } satisfies ViewersQuestion);
      await load.ask({ rate: RATE });
      if (round === 0) await sleep(WARM_UP_MS);
      steady[who].push(await measured(viewers, servers[who], RATE));
      flood[who].push(await measured(viewers, servers[who], null));
      await viewers.ask({ open: null } satisfies ViewersQuestion);
    }
  const median = (of: readonly Measured[], key: keyof Measured, digits = 2) => rounded(medianOf(of, key), digits);
  const of = (who: keyof typeof servers) => ({
    p50_ms: median(steady[who], "p50"),
    p99_ms: median(steady[who], "p99"),
    cpu_us: median(steady[who], "cpuUs", 1),
    flood_per_s: median(flood[who], "rate", 0),
    flood_cpu_us: median(flood[who], "cpuUs", 1),
  });
  results.push({ viewers: count, ours: of("ours"), peer: of("theirs") });
}
const last = results.at(-1);
if (last === undefined) throw new Error("nothing was measured");
printFigure({
  figure: "foxglove",
  unit: `µs of processor time (manager and daemon) for each message that a viewer receives, ${VIEWERS.at(-1)} viewers of ${TOPICS} topics × ${RATE / TOPICS} Hz`,
  value: last.ours.cpu_us,
  peer: "a bare ws server that sends the same binary messages, without a bus",
  peer_value: last.peer.cpu_us,
  ratio: rounded(last.ours.cpu_us / last.peer.cpu_us),
  results,
});
