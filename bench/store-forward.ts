// 8 MiB of samples that a host kept while its link of 16 Mbit/s was cut, sent beside a live topic of 200 KB/s: delay of the live messages meanwhile, and how
// long the samples take, within a share of 20 % and of 100 % of the link. Peer: JetStream, a stream of a leaf nats-server that the hub sources.
// Needs root: it makes a network namespace with a shaped link (tc tbf, a queue of 10 ms). `npx tsx bench/store-forward.ts`
import { NatsServer } from "../test/support/nats/nats-server.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { Part } from "./support/part.ts";
import { AT_LEAF, withShapedLink } from "./support/shaped-link.ts";
import type { StoreAnswer } from "./support/store-hub.ts";

const [HUB, LEAF, PORT] = ["10.213.78.1", "10.213.78.2", 7_422];
const [SAMPLES, SIZE] = [8_192, 1_024];
/** Share of the link that kept samples may use, by default. */
const SHARE = 0.2;
const SETTLE_MS = 1_000;
const ALONE_MS = 3_000;
const MAX_DRAIN_MS = 120_000;

await withShapedLink({ hub: HUB, leaf: LEAF }, async () => {
  const ours = await measure("ours", SHARE);
  const unlimited = await measure("ours", 1);
  const theirs = await measure("theirs", 1);
  printFigure({
    figure: "store-forward",
    unit: "ms, p99 of live messages while 8 MiB of a cut are sent on a link of 16 Mbit/s",
    value: ours.p99,
    peer: "JetStream of nats-server (Debian), sourced over a leaf link, same load",
    peer_value: theirs.p99,
    ours,
    with_all_of_the_link: unlimited,
    theirs,
  });
});

async function measure(kind: "ours" | "theirs", share: number) {
  await using _leaf = await Part.within(
    AT_LEAF,
    new URL("./support/store-leaf.ts", import.meta.url),
    ...[kind, `${HUB}:${PORT}`, share, SAMPLES, SIZE].map(String),
  );
  // Only now there is a hub: this is the end of the cut.
  await using server =
    kind === "ours"
      ? null
      : await NatsServer.start(
          (store) => `server_name: hub
jetstream {domain: hub, store_dir: "${store}"}
leafnodes {listen: "${HUB}:${PORT}"}`,
        );
  const address = server === null ? [HUB, String(PORT)] : [server.url];
  await using hub = await Part.start(new URL("./support/store-hub.ts", import.meta.url), ...address);
  const began = performance.now();
  const delays: number[] = [];
  let lost = 0;
  let answer: StoreAnswer;
  do {
    await sleep(SETTLE_MS / 10);
    answer = await hub.ask<StoreAnswer>({});
    // Delays before the first kept sample are of a link that does nothing else.
    if (answer.kept > 0) delays.push(...answer.delays);
    lost += answer.lost;
    if (performance.now() - began > MAX_DRAIN_MS) throw new Error(`${answer.kept} of ${SAMPLES} samples of ${kind} arrived`);
  } while (answer.kept < SAMPLES);
  const { drainMs, kept, doubled, disordered } = answer;
  await sleep(SETTLE_MS);
  await hub.ask({});
  await sleep(ALONE_MS);
  const alone = await hub.ask<StoreAnswer>({});
  return {
    p50: rounded(percentile(delays, 0.5)),
    p99: rounded(percentile(delays, 0.99)),
    p99_alone: rounded(percentile(alone.delays, 0.99)),
    live_messages: delays.length,
    live_lost: lost,
    seconds: rounded(drainMs / 1_000),
    kept_per_second: Math.round((kept * SIZE) / (drainMs / 1_000)),
    kept_lost: SAMPLES - kept,
    doubled,
    disordered,
  };
}
