// Frames per second while the tree of 1,000 processes is scrolled by the wheel, by the browser's trace. Peer: a bare page
// with 1,000 plain rows in a scrolling box. `npx tsx bench/page-scroll.ts`
import { BareSite } from "./support/bare-site.ts";
import { launchBrowser, processNames } from "./support/browser.ts";
import { medianOf, printFigure, rounded } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { scrollPage } from "./support/page-scrolling.ts";
import type { Shown } from "./support/trace.ts";

const COUNT = 1_000;
const ROUNDS = 3;

const names = processNames(COUNT);
await using manager = await BenchManager.up(Object.fromEntries(names.map((name) => [name, { command: ["sleep", "1000"] }])));
await using site = await BareSite.withPlainRows(await manager.connect());
const browser = await launchBrowser();
const ours: Shown[] = [];
const theirs: Shown[] = [];
for (let round = 0; round < ROUNDS; round++) {
  ours.push(await scrollPage(browser, manager, ".rows"));
  theirs.push(await scrollPage(browser, site.url, "#list"));
}
await browser.close();

const median = (all: Shown[], of: keyof Shown) => rounded(medianOf(all, of), 1);
printFigure({
  figure: "page-scroll",
  unit: `frames per second while the tree of ${COUNT} processes is scrolled`,
  value: median(ours, "fps"),
  longest_gap_ms: median(ours, "gap"),
  longest_task_ms: median(ours, "task"),
  peer: `bare page with ${COUNT} plain rows in a scrolling box`,
  peer_value: median(theirs, "fps"),
  peer_longest_gap_ms: median(theirs, "gap"),
});
