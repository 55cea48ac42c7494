// A host behind a slow link, for bench/store-forward.ts: its broker with store and forward, or a nats-server with a stream of JetStream. It publishes the
// samples of a cut while its hub is not there, and then live messages. `ip netns exec NAME node --import tsx store-leaf.ts ours|theirs HUB SHARE SAMPLES SIZE`
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/base/timing/clock.ts";
import { tuneSockets } from "../../src/bus/carriers/socket-tuning.ts";
import type { Bus } from "../../src/bus/client/bus.ts";
import { connectBus } from "../../src/bus/client/connect-bus.ts";
import { noBusFiles } from "../../src/daemon/bus/bus-files.ts";
import { HostBus } from "../../src/daemon/bus/host-bus.ts";
import { limitUnsent, unsentBytes } from "../../src/daemon/native/socket-options.ts";
import { Tap } from "../../src/features/data-plane/host/tap.ts";
import { wallClockNs } from "../../src/features/data-plane/wall-clock.ts";
import { StoreForward } from "../../src/features/store-forward/host/store-forward.ts";
import { NatsServer } from "../../test/support/nats/nats-server.ts";
import { createStream, storedMessages } from "./jetstream.ts";

/** A live message each 5 ms. */
const [LIVE_BYTES, LIVE_MS] = [1_000, 5];
/** Samples that are published between two round trips to the broker. */
const BURST = 200;

/** A broker that keeps samples. */
interface Leaf {
  readonly bus: Bus;
  kept(): Promise<number>;
  close(): Promise<void>;
}

const [kind = "", hub = "", share = "", samples = "", size = ""] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "mgr-bench-store-"));
const leaf = await (kind === "ours" ? ours() : theirs());
for (let index = 0; index < Number(samples); index++) {
  leaf.bus.publish("topic.kept", String(index).padEnd(Number(size)));
  if (index % BURST === 0) await leaf.bus.flush();
}
await leaf.bus.flush();
while ((await leaf.kept()) < Number(samples)) await new Promise((resolve) => setTimeout(resolve, 50));

let live = 0;
const timer = setInterval(() => {
  leaf.bus.publish("topic.live", `${live++} ${performance.timeOrigin + performance.now()}`.padEnd(LIVE_BYTES));
}, LIVE_MS);
// The benchmark ends its parts by SIGTERM; it is gone itself if the channel to it ends.
let isEnding = false;
const end = async () => {
  if (isEnding) return;
  isEnding = true;
  clearInterval(timer);
  await leaf.close();
  rmSync(folder, { recursive: true });
  process.exit();
};
process.on("disconnect", end);
process.on("SIGTERM", end);
process.send?.({});

async function ours(): Promise<Leaf> {
  tuneSockets({ limitUnsent, unsentBytes });
  const log = (level: string, msg: string) => void (level === "error" && console.error(msg));
  const host = await HostBus.open({ host: "h1", files: noBusFiles(), log });
  const keeper = new StoreForward({
    stateDir: folder,
    bus: host,
    tap: new Tap(host.registry, (msg) => log("error", msg)),
    clock: systemClock,
    now: wallClockNs,
    log,
  });
  keeper.configure({ topics: ["kept"], max_bytes: 1e9, max_age_ms: 1e9, share: Number(share), bandwidth: null });
  await keeper.opened;
  host.follow({ hub: { url: `nats://h1@${hub}`, ca: null }, max_payload: 1024 * 1024, memory: null });
  const bus = await connectBus({ server: { kind: "url", urls: [host.localUrl] }, name: "camera" });
  return {
    bus,
    kept: async () => keeper.status("kept").topics[0]?.samples ?? 0,
    close: async () => {
      await bus.close();
      await keeper.close();
      await host.close();
    },
  };
}

async function theirs(): Promise<Leaf> {
  const server = await NatsServer.start(
    (store) => `server_name: leaf
jetstream {domain: leaf, store_dir: "${store}"}
leafnodes {reconnect: 1, remotes: [{url: "nats://${hub}"}]}`,
  );
  const bus = await connectBus({ server: { kind: "url", urls: [server.url] }, name: "camera" });
  await createStream(bus, { name: "KEPT", subjects: ["topic.kept"], storage: "file" });
  return {
    bus,
    kept: () => storedMessages(bus, "KEPT"),
    close: async () => {
      await bus.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
