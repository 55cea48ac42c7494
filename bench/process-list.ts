// Milliseconds of the daemon's time for a list of 2,000 threads, and the longest of them without a break. Peer: `ps -eLo` with
// the same columns, its CPU time. `npx tsx bench/process-list.ts`
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { systemClock } from "../src/base/timing/clock.ts";
import { jsonOf } from "../src/bus/client/rpc-envelope.ts";
import { type ListPage, pagesOf } from "../src/contract/pages.ts";
import { ListBuilder } from "../src/daemon/lists/list-builder.ts";
import { TaskOwners } from "../src/daemon/tree/task-owners.ts";
import { taskPage } from "../src/features/process-list/contract.ts";
import { TaskLists } from "../src/features/process-list/host/task-list.ts";
import { percentile, printFigure, rounded } from "./support/figure.ts";

const THREADS = 2_000;
const ROUNDS = 30;
const PROGRAM = `import threading,sys
threading.stack_size(65536)
wait=threading.Event()
for _ in range(${THREADS} - 1): threading.Thread(target=wait.wait, daemon=True).start()
print("ready", flush=True)
sys.stdin.read()`;
const COLUMNS = "pid,lwp,ppid,user:32,comm,s,sched,rtprio,ni,psr,rss,pmem,nlwp,lstart,cputimes,args";

const program = spawn("/usr/bin/python3", ["-c", PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
await once(program.stdout, "data");
const filter = `pid:==:${program.pid}`;
const lists = new ListBuilder(systemClock);
const tasks = new TaskLists({
  clock: systemClock,
  lists,
  owners: () =>
    new TaskOwners(
      () => null,
      () => null,
    ),
});

/** CPU time of this process, milliseconds: what others on the machine do does not count. */
async function cpuTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const ask = async () => {
  const first = await tasks.make({ requester: "bench", show_threads: true, show_env: false, filter });
  const pages: Uint8Array[] = [];
  for await (const { data } of pagesOf<ListPage>(async (after) => (after === null ? first : lists.pages.read(after)))) pages.push(data);
  return pages;
};
for (let round = 0; round < 5; round++) await ask();

const rows = (await ask()).flatMap((page) => taskPage.parse(jsonOf(page))).length;
if (rows !== THREADS) throw new Error(`${rows} rows came`);

const ours: number[] = [];
for (let round = 0; round < ROUNDS; round++) ours.push(await cpuTime(ask));

// CPU time from one turn of the event loop to the next: how long the list holds up everything else.
let longest = 0;
let isWatching = true;
const watch = (async () => {
  while (isWatching) longest = Math.max(longest, await cpuTime(() => new Promise((resolve) => setImmediate(resolve))));
})();
for (let round = 0; round < ROUNDS; round++) await ask();
isWatching = false;
await watch;

const theirs: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const { stdout } = spawnSync("bash", ["-c", `TIMEFORMAT='%U %S'; { time ps -Lo ${COLUMNS} -p ${program.pid} >/dev/null; } 2>&1`], {
    encoding: "utf8",
  });
  theirs.push(
    stdout
      .trim()
      .split(" ")
      .map(Number)
      .reduce((sum, seconds) => sum + 1_000 * seconds, 0),
  );
}
program.kill("SIGKILL");
lists.close();

printFigure({
  figure: "process list",
  unit: `ms of CPU time for a list of ${THREADS} threads with all columns, p50`,
  value: rounded(percentile(ours, 0.5)),
  longest_without_a_break: rounded(longest),
  peer: "ps -Lo with the same columns except affinity",
  peer_value: rounded(percentile(theirs, 0.5)),
});
