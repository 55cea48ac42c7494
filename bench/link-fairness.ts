// Delay and loss of commands (100 bytes, 50 a second) from a host whose link of 16 Mbit/s also carries a topic of 4 MB/s. Peer: nats-server as the hub.
// Needs root: it makes a network namespace with a shaped link (tc tbf, a queue of 10 ms). `npx tsx bench/link-fairness.ts`
import { NatsServer } from "../test/support/nats/nats-server.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { Part } from "./support/part.ts";
import { AT_LEAF, withShapedLink } from "./support/shaped-link.ts";

const [HUB, LEAF] = ["10.213.77.1", "10.213.77.2"];
const WARM_UP_MS = 2_000;
const MEASURE_MS = 8_000;

await withShapedLink({ hub: HUB, leaf: LEAF }, async () => {
  const ours = await measure(null);
  await using server = await NatsServer.start(`leafnodes {listen: "${HUB}:7422"}`);
  const theirs = await measure(server.url);
  printFigure({
    figure: "link-fairness",
    unit: "ms, p99 of a command beside a topic of 4 MB/s on a link of 16 Mbit/s",
    value: ours.p99,
    peer: "nats-server (Debian) as hub, same leaf",
    peer_value: theirs.p99,
    ours,
    theirs,
  });
});

/** `server`: the clients' address of a nats-server, whose leaf-node port is 7422; null: our hub. */
async function measure(server: string | null) {
  await using hub = await Part.start(new URL("./support/link-hub.ts", import.meta.url), HUB, server ?? "");
  const { port } = await hub.ask<{ port: number }>({});
  await using leaf = await Part.within(
    AT_LEAF,
    new URL("./support/link-leaf.ts", import.meta.url),
    `nats://${server === null ? `h1@${HUB}:${port}` : `${HUB}:7422`}`,
  );
  await leaf.ask({ run: true });
  await sleep(WARM_UP_MS);
  await hub.ask({});
  await sleep(MEASURE_MS);
  const { delays, lost, fat } = await hub.ask<{ delays: number[]; lost: number; fat: number }>({});
  const { link } = await leaf.ask<{ sent: number; link: { dropped_msgs: number } }>({ run: false });
  return {
    p50: rounded(percentile(delays, 0.5)),
    p99: rounded(percentile(delays, 0.99)),
    commands: delays.length,
    lost,
    fat_per_second: rounded(fat / (MEASURE_MS / 1_000)),
    dropped: link.dropped_msgs,
  };
}
