// Writes parts of incidents until it is killed, with numbered messages at full speed; tells each begun incident on its standard output.
import { setImmediate as turn } from "node:timers/promises";
import { systemClock } from "../../../../../src/base/timing/clock.ts";
import { wallClockNs } from "../../../../../src/features/data-plane/wall-clock.ts";
import { FlightRig } from "../flight-rig.ts";

const [folder = ""] = process.argv.slice(2);
const rig = new FlightRig({ folder, clock: systemClock, now: wallClockNs });
rig.configure({ memory: 32 * 1024 * 1024, disk: 64 * 1024 * 1024 });
let n = 0;
const pump = async (count: number) => {
  for (let each = 0; each < count; each++) rig.publish("arm/state", { n: n++ }, { received: wallClockNs() });
  await turn();
};
for (let begun = 0; begun < 20_000; begun += 200) await pump(200);
const now = wallClockNs();
const incident = "20260101-000000-mgr-1";
const until = String(now + 1_000_000_000n);
await rig.recorder.keep({ session: "s", incident, cause: null, from: String(now - 60_000_000_000n), until });
process.stdout.write(`${incident} ${until}\n`);
for (;;) {
  await pump(20);
  await new Promise((resolve) => setTimeout(resolve, 5));
}
