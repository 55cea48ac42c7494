// What it costs to judge 10 topics × 1 kHz as a sign of health (`alive: {topic, min_rate, max_gap}`): processor time of the daemon beyond that of one which judges
// nothing. Peer: a program that subscribes to the same topics and counts, with what the daemon needs to send them. MGR_BENCH_SECONDS is how long each is
// measured, MGR_BENCH_ROUNDS how often. `npx tsx bench/topic-health.ts`
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cpuMs } from "./support/cpu.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";

const TOPICS = 10;
const RATE = 1_000;
/** Time until the code of the daemon is compiled, milliseconds. */
const WARM_UP_MS = 5_000;
const ROUNDS = Number(process.env.MGR_BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.MGR_BENCH_SECONDS ?? 8);
const FLEET = new URL("./support/topic-fleet.ts", import.meta.url);
const WATCHDOG = new URL("./support/topic-watchdog.ts", import.meta.url);

/** Share of a core of the daemon, and of the watchdog, %. */
async function measured(judge: "nothing" | "daemon" | "watchdog"): Promise<number> {
  const names = Array.from({ length: TOPICS }, (_, n) => `p${n}`);
  // Far from any limit, so that a stall of the machine restarts nothing.
  const health = (topic: string) => ({
    ready: { topic, rate: RATE / 10 },
    alive: { topic, min_rate: RATE / 10, max_gap: "900ms", failures: 100 },
  });
  const processes = names.map((name, n) => [name, { command: ["sleep", "1000"], ...(judge === "daemon" ? health(`bench/${n}`) : {}) }]);
  await using manager = await BenchManager.up(Object.fromEntries(processes));
  const url = readFileSync(join(manager.dir, "state/bus.url"), "utf8").trim();
  const bus = new URL(url);
  const client = await manager.connect();
  await using fleet = await Part.start(FLEET, bus.port, bus.username, String(TOPICS), String(RATE));
  for (const name of names) client.send({ type: "start_process", name });
  // Ready processes prove that their topics are judged.
  await client.untilAll(names, judge === "daemon" ? "ready" : "started");
  await using watchdog = judge === "watchdog" ? await Part.start(WATCHDOG, url, String(TOPICS)) : null;
  const used = () => manager.cpu().daemon + (watchdog === null ? 0 : cpuMs(watchdog.pid));
  await sleep(WARM_UP_MS);
  const [before, begin] = [used(), performance.now()];
  await sleep(SECONDS * 1_000);
  const percent = ((used() - before) * 100) / (performance.now() - begin);
  // Both still do their work.
  await Promise.all([fleet, watchdog].map((part) => part?.ask({})));
  return percent;
}

const all: Record<"nothing" | "daemon" | "watchdog", number[]> = { nothing: [], daemon: [], watchdog: [] };
for (let round = 0; round < ROUNDS; round++)
  for (const judge of ["nothing", "daemon", "watchdog"] as const) all[judge].push(await measured(judge));
const beyondNothing = (judge: keyof typeof all) => rounded(percentile(all[judge], 0.5) - percentile(all.nothing, 0.5));
printFigure({
  figure: "topic-health",
  unit: `% of a core to judge ${TOPICS} topics at ${RATE} Hz`,
  value: beyondNothing("daemon"),
  peer: "a program with the JavaScript client that counts the same topics",
  peer_value: beyondNothing("watchdog"),
  daemon_percent_without: rounded(percentile(all.nothing, 0.5)),
});
