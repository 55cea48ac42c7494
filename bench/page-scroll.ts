// Frames per second while the tree of 1,000 processes is scrolled by the wheel, by the browser's trace. Peer: a bare page
// with 1,000 plain rows in a scrolling box. `npx tsx bench/page-scroll.ts`
import type { Browser } from "playwright-core";
import { BareSite } from "./support/bare-site.ts";
import { httpOf, launchBrowser, newPage, processNames } from "./support/browser.ts";
import { percentile, printFigure, rounded } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { startTrace } from "./support/trace.ts";

const COUNT = 1_000;
const ROUNDS = 3;
/** Pixels, and pixels per second: all rows go by in about seven seconds, there and back. */
const DISTANCE = 12_000;
const SPEED = 3_500;
const MARKS = `performance.mark("bench-page");`;

interface Scrolling {
  fps: number;
  /** The longest time between two frames, milliseconds. */
  gap: number;
  task: number;
}

async function scroll(browser: Browser, origin: BenchManager | string, list: string): Promise<Scrolling> {
  const folds = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`group ${index}`, true]));
  const page = await newPage(browser, origin, { script: MARKS, settings: { folds } });
  await page.goto(typeof origin === "string" ? origin : httpOf(origin));
  await page.locator(`[data-name="group 0/process 0000"]`).waitFor();
  const box = await page.locator(list).boundingBox();
  if (!box) throw new Error(`${list} is not to be seen`);
  const session = await page.context().newCDPSession(page);
  const recording = await startTrace(browser);
  await page.evaluate(`performance.mark("bench-page"); performance.mark("bench-scroll")`);
  for (const direction of [-1, 1]) {
    await session.send("Input.synthesizeScrollGesture", {
      x: box.x + box.width / 2,
      y: box.y + box.height / 2,
      yDistance: direction * DISTANCE,
      speed: SPEED,
      gestureSourceType: "mouse",
    });
  }
  await page.evaluate(`performance.mark("bench-end")`);
  const trace = await recording.stop();
  await page.context().close();
  const [begin = 0] = trace.marks("bench-scroll");
  const [end = 0] = trace.marks("bench-end");
  const { presented } = trace.frames(begin, end);
  const gaps = presented.slice(1).map((at, index) => (at - (presented[index] ?? at)) / 1_000);
  const seconds = ((presented.at(-1) ?? 0) - (presented[0] ?? 0)) / 1e6;
  return { fps: (presented.length - 1) / seconds, gap: Math.max(...gaps), task: trace.tasks(begin, end)[0]?.ms ?? 0 };
}

const names = processNames(COUNT);
await using manager = await BenchManager.up(Object.fromEntries(names.map((name) => [name, { command: ["sleep", "1000"] }])));
await using site = await BareSite.withPlainRows(await manager.connect());
const browser = await launchBrowser();
const ours: Scrolling[] = [];
const theirs: Scrolling[] = [];
for (let round = 0; round < ROUNDS; round++) {
  ours.push(await scroll(browser, manager, ".rows"));
  theirs.push(await scroll(browser, site.url, "#list"));
}
await browser.close();

const median = (all: Scrolling[], of: keyof Scrolling) =>
  rounded(
    percentile(
      all.map((one) => one[of]),
      0.5,
    ),
    1,
  );
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
