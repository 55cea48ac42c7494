// A host behind a slow link, for bench/link-fairness.ts: its broker, linked to the hub, and two programs that publish a fat topic and commands.
import { createBroker } from "../../src/bus/broker/broker.ts";
import { HubConnection } from "../../src/bus/broker/leaf/hub-connection.ts";
import { tuneSockets } from "../../src/bus/carriers/socket-tuning.ts";
import { connectBus } from "../../src/bus/client/connect-bus.ts";
import { hubDial } from "../../src/bus/client/hub-dial.ts";
import { limitUnsent, unsentBytes } from "../../src/daemon/native/socket-options.ts";

const FAT_BYTES = 20_000;
const FAT_MS = 5;
const COMMAND_MS = 20;

tuneSockets({ limitUnsent, unsentBytes });
const [hub = ""] = process.argv.slice(2);
const broker = createBroker({ name: "h1" });
await new Promise<void>((resolve) => {
  const dial = hubDial({ server: { kind: "url", urls: [hub] } });
  new HubConnection({ broker, name: "h1", dial, log: (_level, msg) => console.error(msg), onChange: (isUp) => isUp && resolve() });
});
const [fat, commander] = await Promise.all(["camera", "commander"].map((name) => connectBus({ server: { kind: "memory", broker }, name })));
let sent = 0;
const timers: NodeJS.Timeout[] = [];
process.on("message", ({ run }: { run: boolean }) => {
  for (const timer of timers.splice(0)) clearInterval(timer);
  if (run) {
    sent = 0;
    timers.push(setInterval(() => fat?.publish("topic.fat", Buffer.alloc(FAT_BYTES)), FAT_MS));
    timers.push(
      setInterval(() => {
        commander?.publish("topic.command", `${sent++} ${performance.timeOrigin + performance.now()}`.padEnd(100));
      }, COMMAND_MS),
    );
  }
  process.send?.({ sent, link: broker.stats().links[0] });
});
process.on("disconnect", () => process.exit());
process.send?.({});
