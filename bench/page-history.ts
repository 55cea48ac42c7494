// Processor time of the page's main thread from opening the history of 200 processes over 6 hours until it is drawn: reading the answer, drawing
// three charts with a line for each process, and their table. Peer: bare uPlot that draws the same lines, without reading them.
// `npx tsx bench/page-history.ts`
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { makeUpHistory } from "../test/features/load-history/made-up-history.ts";
import { httpOf, launchBrowser, newPage } from "./support/browser.ts";
import { medianOf, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { startTrace } from "./support/trace.ts";

const PROCESSES = 200;
const HOURS = 6;
const POINTS = 200;
const CHARTS = 3;
const ROUNDS = 5;
const SETTLE_MS = 3_000;
const MEASURE_MS = 2_500;
const UPLOT = join(dirname(createRequire(import.meta.url).resolve("uplot")), "uPlot.iife.min.js");
const BARE = `<!doctype html><title>bare</title><body style="margin:0"><script>
  const times = Array.from({ length: ${POINTS} }, (_, at) => 1.79e9 + 108 * at);
  const columns = Array.from({ length: ${PROCESSES} }, (_, n) => times.map((_, at) => 1 + Math.sin(at / (5 + n / 10) + n)));
  addEventListener("draw", () => {
    for (const old of document.querySelectorAll(".uplot")) old.remove();
    for (let chart = 0; chart < ${CHARTS}; chart++) {
      const series = columns.map((_, n) => ({ stroke: "hsl(" + n * 18 + " 60% 50%)", width: 1, points: { show: false } }));
      new uPlot({ width: 800, height: 132, legend: { show: false }, scales: { x: { time: true } }, series: [{}, ...series] }, [times, ...columns], document.body);
    }
  });
</script>`;

interface Cost {
  /** Processor time of all tasks, and of the longest one, ms. */
  readonly cpu: number;
  readonly longest: number;
}

async function cost(browser: Browser, page: Page, act: () => Promise<unknown>): Promise<Cost> {
  const recording = await startTrace(browser);
  await page.evaluate(`performance.mark("bench-begin")`);
  await act();
  await sleep(MEASURE_MS);
  const tasks = (await recording.stop()).tasks();
  return { cpu: tasks.reduce((sum, { cpuMs }) => sum + cpuMs, 0), longest: Math.max(0, ...tasks.map(({ cpuMs }) => cpuMs)) };
}

/** Asks by a cheap expression: a locator that waits for text reads the whole page again and again, on the thread that is measured. */
async function drawn(page: Page): Promise<void> {
  const isDrawn = `document.querySelector(".history-notes")?.textContent.includes("from measurements of 10 s") === true`;
  while (!(await page.evaluate(isDrawn))) await sleep(100);
}

function median(costs: readonly Cost[]): Cost {
  return { cpu: rounded(medianOf(costs, "cpu"), 0), longest: rounded(medianOf(costs, "longest"), 0) };
}

const names = Array.from({ length: PROCESSES }, (_, index) => `cell/worker ${String(index).padStart(3, "0")}`);
const processes = Object.fromEntries(names.map((name) => [name, { command: "sleep 100000" }]));
await using manager = await BenchManager.up(processes, {
  prepare: (stateFolder) => makeUpHistory({ stateFolder, names, hours: HOURS, until: Date.now() }),
});
const browser = await launchBrowser();
const page = await newPage(browser, manager);
const address = `${httpOf(manager)}/?history=processes&of=cell&range=10min`;
const ours: Cost[] = [];
/** Time from the click until it is drawn, ms: most of it takes the daemon to read the files. */
const waits: number[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  await page.goto(address);
  await page.getByRole("button", { name: "6 h" }).waitFor();
  await sleep(SETTLE_MS);
  let begun = 0;
  const measured = await cost(browser, page, async () => {
    begun = performance.now();
    await page.getByRole("button", { name: "6 h" }).click();
    // Points of ten minutes are one measurement each.
    await drawn(page);
    waits.push(performance.now() - begun);
  });
  // The first one compiles the code.
  if (round > 0) ours.push(measured);
}
const lines = await page.locator(".history-members tbody tr").count();
const note = await page.locator(".history-notes").textContent();
const bare = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
await bare.setContent(BARE.replace("<script>", `<script>${readFileSync(UPLOT, "utf8")}</script><script>`));
const theirs: Cost[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  const measured = await cost(browser, bare, () => bare.evaluate(`dispatchEvent(new Event("draw"))`));
  if (round > 0) theirs.push(measured);
}
await browser.close();

printFigure({
  figure: "page-history",
  unit: `ms of processor time of the page's main thread to read and draw ${HOURS} h of ${PROCESSES} processes`,
  value: median(ours).cpu,
  longest_task: median(ours).longest,
  until_drawn: waits.slice(1).map((ms) => rounded(ms, 0)),
  rounds: ours.map(({ cpu }) => rounded(cpu, 0)),
  rows: lines,
  note,
  peer: `bare uPlot that draws ${CHARTS} charts of as many lines of ${POINTS} points`,
  peer_value: median(theirs).cpu,
  peer_longest_task: median(theirs).longest,
});
