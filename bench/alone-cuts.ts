// Hosts in network namespaces whose links are cut, whose processes are killed, and whose manager is killed, at random moments: doubles (two runs of
// one process alive at the same moment), and what is lost (a process that is not as it was last requested when everything is well again). The
// peer is the number of restarts that the hosts made without a manager. Needs root, and `npm run build`. Not run by bench/run.ts.
// `npx tsx bench/alone-cuts.ts`; MGR_CUTS (1,000 by default), MGR_CUT_HOSTS (8), MGR_CUT_SEED.

import type { ProcessView } from "../test/e2e/support/client.ts";
import { Fleet } from "../test/e2e/support/fleet.ts";
import { eventually } from "../test/e2e/support/wait.ts";
import { printFigure, sleep } from "./support/figure.ts";
import { seededBelow } from "./support/random.ts";

const CUTS = Number(process.env.MGR_CUTS ?? 1_000);
const HOSTS = Number(process.env.MGR_CUT_HOSTS ?? 8);
const below = seededBelow(Number(process.env.MGR_CUT_SEED ?? 1));
/** Processes of each host. */
const PROCESSES = 3;
/** A host acts alone after 13 s at most; cuts end before and after that, milliseconds. */
const LONGEST_CUT_MS = 20_000;
const LONGEST_PAUSE_MS = 2_000;
/** Cuts between two kills of the manager. */
const KILL_EVERY = 25;
/** Everything is well again after that, also on a busy machine, milliseconds. */
const HEALED_MS = 120_000;

const hosts = Array.from({ length: HOSTS }, (_, index) => `r${index}`);
const restart = { policy: "always", delay: "100ms", factor: 1, max_restarts: 1_000_000 };
const commands = new Map<string, string[]>();
const processes: Record<string, object> = {};
for (const host of hosts) {
  for (let index = 0; index < PROCESSES; index++) {
    const command = ["sleep", `${200_000 + commands.size}.${process.pid}`];
    commands.set(`${host}/p${index}`, command);
    processes[`${host}/p${index}`] = { command, node: host, autostart: true, restart };
  }
}
const names = [...commands.keys()];
/** The last request of each process that was acknowledged. */
const requested = new Map(names.map((name) => [name, "start"]));
let cuts = 0;
let kills = 0;
let managerKills = 0;
let lost = 0;

await using fleet = await Fleet.up({ hosts, processes });
let client = await fleet.connect();
await untilAsRequested();
fleet.watch([...commands.values()]);
const managerEnd = managers();
await Promise.all(hosts.map(cutAgainAndAgain));
await managerEnd;
await untilAsRequested().catch((error: unknown) => {
  lost++;
  console.error(error);
});
const { twins } = await fleet.watched();
for (const twin of twins) console.error(twin);
const restarts = hosts.reduce((sum, host) => sum + (fleet.logOf(host).match(/ without a manager \(run /g)?.length ?? 0), 0);
printFigure({
  figure: "doubles and lost requests after random cuts and kills",
  unit: "",
  value: twins.length + lost,
  doubles: twins.length,
  lost,
  cuts,
  kills,
  manager_kills: managerKills,
  peer: "restarts by hosts that acted alone",
  peer_value: restarts,
});

/** Cuts the link of a host, kills its processes meanwhile and afterwards, and gives commands. */
async function cutAgainAndAgain(host: string): Promise<void> {
  while (cuts < CUTS) {
    cuts++;
    fleet.link(host, "cut");
    await killSome(host, below(LONGEST_CUT_MS));
    fleet.link(host, "good");
    await killSome(host, below(LONGEST_PAUSE_MS));
    await request(`${host}/p${below(PROCESSES)}`, below(4) === 0 ? "stop" : "start");
  }
}

async function killSome(host: string, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    await sleep(Math.min(500 + below(3_000), Math.max(0, end - performance.now())));
    if (kill(commands.get(`${host}/p${below(PROCESSES)}`) ?? [])) kills++;
  }
}

function kill(command: readonly string[]): boolean {
  const pid = fleet.pidHere(command.join(" "));
  try {
    return pid !== undefined && process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
    return false;
  }
}

/** A command that is refused, or gets no answer because the manager is killed, need not be carried out; one that is refused must not be. */
async function request(name: string, verb: "start" | "stop"): Promise<void> {
  const before = requested.get(name) ?? "start";
  requested.set(name, "unknown");
  const answer = await Promise.race([client.ask({ type: `${verb}_process`, name }).catch(() => null), sleep(5_000).then(() => null)]);
  if (answer !== null) requested.set(name, answer.type === "ack" ? verb : before);
}

/** Kills the manager now and then, and starts the next one a while later. */
async function managers(): Promise<void> {
  for (let next = KILL_EVERY; cuts < CUTS; await sleep(500)) {
    if (cuts < next) continue;
    next += KILL_EVERY;
    await fleet.killManager();
    managerKills++;
    await sleep(below(LONGEST_CUT_MS));
    await fleet.startManager();
    client = await fleet.connect();
  }
}

/** Every process is as it was requested, and manager and hosts agree. */
async function untilAsRequested(): Promise<void> {
  await eventually(
    "each process is as it was requested",
    async () => {
      const { processes } = (await client.snapshot()) as unknown as { processes: ProcessView[] };
      return processes.every((process) => isAsRequested(process));
    },
    HEALED_MS,
  );
}

function isAsRequested({ name, state, host_ready }: ProcessView): boolean {
  const wanted = requested.get(name);
  return host_ready && (wanted === "unknown" || state === (wanted === "stop" ? "stopped" : "started"));
}
