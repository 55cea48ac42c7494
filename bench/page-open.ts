// Milliseconds from navigation until the page shows the tree of 1,000 processes, is connected and has painted twice, by
// the browser's trace. Peer: a bare page that makes 1,000 plain rows of the same snapshot. `npx tsx bench/page-open.ts`
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BareSite } from "./support/bare-site.ts";
import { launchBrowser, processNames } from "./support/browser.ts";
import { percentile, printFigure, rounded } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { openPage } from "./support/page-opening.ts";

const COUNT = 1_000;
const ROUNDS = 9;
const ASSETS = fileURLToPath(new URL("../dist/web/assets", import.meta.url));
/** Kilobytes of the files that `page` loads at once, compressed as they are sent; and those that wait until they are needed. */
function bundle(): { initial_kb: number; later_kb: number } {
  const size = (name: string) => statSync(join(ASSETS, existsSync(join(ASSETS, `${name}.gz`)) ? `${name}.gz` : name)).size / 1_000;
  const files = readdirSync(ASSETS).filter((name) => /\.(js|css)$/.test(name));
  const sum = (names: string[]) =>
    rounded(
      names.reduce((all, name) => all + size(name), 0),
      1,
    );
  const index = readFileSync(join(ASSETS, "../index.html"), "utf8");
  const isInitial = (name: string) => index.includes(name);
  return { initial_kb: sum(files.filter(isInitial)), later_kb: sum(files.filter((name) => !isInitial(name))) };
}

const names = processNames(COUNT);
await using manager = await BenchManager.up(Object.fromEntries(names.map((name) => [name, { command: ["sleep", "1000"] }])));
await using site = await BareSite.withPlainRows(await manager.connect());
const browser = await launchBrowser();
const ours: number[] = [];
const theirs: number[] = [];
const tasks: number[] = [];
const taskCpus: number[] = [];
const cpus: Record<"ours" | "theirs", number[]> = { ours: [], theirs: [] };
// The first round warms the browser up.
for (let round = 0; round <= ROUNDS; round++) {
  const own = await openPage(browser, manager, COUNT);
  const bare = await openPage(browser, site.url, COUNT);
  if (round === 0) continue;
  ours.push(own.ms);
  tasks.push(own.task);
  taskCpus.push(own.taskCpu);
  cpus.ours.push(own.cpu);
  cpus.theirs.push(bare.cpu);
  theirs.push(bare.ms);
}
await browser.close();

printFigure({
  figure: "page-open",
  unit: `ms from navigation until the page of ${COUNT} processes is interactive, nothing cached, p50`,
  value: rounded(percentile(ours, 0.5), 0),
  worst: rounded(Math.max(...ours), 0),
  longest_task_ms: rounded(percentile(tasks, 0.5), 0),
  longest_task_cpu_ms: rounded(percentile(taskCpus, 0.5), 0),
  main_thread_cpu_ms: rounded(percentile(cpus.ours, 0.5), 0),
  ...bundle(),
  peer: `bare page that renders ${COUNT} plain rows from the same snapshot`,
  peer_value: rounded(percentile(theirs, 0.5), 0),
  peer_main_thread_cpu_ms: rounded(percentile(cpus.theirs, 0.5), 0),
});
