// The page with 10,000 processes: milliseconds from navigation until it is interactive, frames per second while its tree is scrolled, its
// heap, and milliseconds from a key in the filter and in the palette until the matches are painted. Peer: a bare page that makes 10,000
// plain rows of the same snapshot, and hides those without the typed text. `npx tsx bench/page-10000.ts`; MGR_BENCH_COUNT=1000 for another number.
import type { Page } from "playwright-core";
import { BareSite } from "./support/bare-site.ts";
import { launchBrowser, processNames } from "./support/browser.ts";
import { percentile, printFigure, rounded } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { type Opening, openPage } from "./support/page-opening.ts";
import { scrollPage } from "./support/page-scrolling.ts";

const COUNT = Number(process.env.MGR_BENCH_COUNT ?? 10_000);
const ROUNDS = 3;
const TYPED = "process 54";

/** Milliseconds of each key: until its event has been handled, and until what follows of it is painted. */
interface Keys {
  readonly handled: number[];
  readonly painted: number[];
}

/** Types into an input of the page, each key when what follows of the one before has been painted. */
function type(page: Page, selector: string): Promise<Keys> {
  return page.evaluate(
    async ([selector, text]) => {
      const box = document.querySelector<HTMLInputElement>(selector);
      if (!box) throw new Error(`the page has no ${selector}`);
      const handled: number[] = [];
      const painted: number[] = [];
      for (let length = 1; length <= text.length; length++) {
        const pressed = performance.now();
        box.value = text.slice(0, length);
        box.dispatchEvent(new InputEvent("input", { bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve));
        handled.push(performance.now() - pressed);
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        painted.push(performance.now() - pressed);
      }
      return { handled, painted };
    },
    [selector, TYPED] as const,
  );
}

/** Megabytes of the page's heap after a collection of garbage. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
}

const FILTER = `(() => {
  const box = document.body.insertBefore(document.createElement("input"), list);
  box.id = "filter";
  box.oninput = () => { for (const row of list.children) row.hidden = !row.dataset.name.includes(box.value); };
})()`;

const names = processNames(COUNT);
await using manager = await BenchManager.up(Object.fromEntries(names.map((name) => [name, { command: ["sleep", "1000"] }])));
await using site = await BareSite.withPlainRows(await manager.connect());
const browser = await launchBrowser();
const openings: Record<"ours" | "bare", Opening[]> = { ours: [], bare: [] };
const keys: Record<"filter" | "palette" | "bare", Keys[]> = { filter: [], palette: [], bare: [] };
const heaps: Record<"ours" | "bare", number> = { ours: 0, bare: 0 };
for (let round = 0; round < ROUNDS; round++) {
  openings.ours.push(
    await openPage(browser, manager, COUNT, async (page) => {
      keys.filter.push(await type(page, "#filter"));
      await page.locator("#filter").fill("");
      await page.locator(".palette-button").click();
      keys.palette.push(await type(page, "dialog.palette input"));
      await page.keyboard.press("Escape");
      heaps.ours = await heapOf(page);
    }),
  );
  openings.bare.push(
    await openPage(browser, site.url, COUNT, async (page) => {
      await page.evaluate(FILTER);
      keys.bare.push(await type(page, "#filter"));
      heaps.bare = await heapOf(page);
    }),
  );
}
const scrolling = await scrollPage(browser, manager, ".rows");
const bareScrolling = await scrollPage(browser, site.url, "#list");
await browser.close();

const median = (values: readonly number[], digits = 0) => rounded(percentile(values, 0.5), digits);
const opened = (all: readonly Opening[]) => ({
  main_thread_cpu_ms: median(all.map(({ cpu }) => cpu)),
  longest_task_cpu_ms: median(all.map(({ taskCpu }) => taskCpu)),
});
const searched = (all: readonly Keys[]) => ({
  handled_p50_ms: median(
    all.flatMap(({ handled }) => handled),
    1,
  ),
  painted_p50_ms: median(
    all.flatMap(({ painted }) => painted),
    1,
  ),
  first_key_ms: median(
    all.map(({ handled }) => handled[0] ?? 0),
    1,
  ),
});
const scrolled = ({ fps, gap, task }: typeof scrolling) => ({
  fps: rounded(fps, 1),
  longest_gap_ms: rounded(gap, 1),
  longest_task_ms: rounded(task, 1),
});
printFigure({
  figure: "page-10000",
  unit: `ms from navigation until the page of ${COUNT} processes is interactive, nothing cached, p50`,
  value: median(openings.ours.map(({ ms }) => ms)),
  ...opened(openings.ours),
  heap_mb: rounded(heaps.ours, 1),
  scroll: scrolled(scrolling),
  filter: searched(keys.filter),
  palette: searched(keys.palette),
  peer: `bare page with ${COUNT} plain rows of the same snapshot`,
  peer_value: median(openings.bare.map(({ ms }) => ms)),
  peer_opened: opened(openings.bare),
  peer_heap_mb: rounded(heaps.bare, 1),
  peer_scroll: scrolled(bareScrolling),
  peer_filter: searched(keys.bare),
});
