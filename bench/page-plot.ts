// The longest task of the page's main thread while it plots 20 traces at 1 kHz in a window of 10 s, of one topic with 20 fields and of 20 topics,
// by the browser's trace. Peer: bare uPlot that draws 20 traces of 10,000 points as often. `npx tsx bench/page-plot.ts`
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { httpOf, launchBrowser, newPage } from "./support/browser.ts";
import { printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { LONG_TASK_MS, startTrace } from "./support/trace.ts";

const TRACES = 20;
const SETTLE_MS = 12_000;
const MEASURE_MS = 8_000;
const WAVES = fileURLToPath(new URL("./support/waves.js", import.meta.url));
const UPLOT = join(dirname(createRequire(import.meta.url).resolve("uplot")), "uPlot.iife.min.js");
const BARE_PLOT = `<!doctype html><title>bare</title><body style="margin:0"><div id="box"></div><script>
  const points = 10_000;
  const series = Array.from({ length: ${TRACES} }, (_, n) => ({ label: "x" + n, stroke: "hsl(" + n * 18 + " 60% 50%)", width: 1.5 }));
  const plot = new uPlot({ width: 1200, height: 600, scales: { x: { time: true } }, series: [{}, ...series] }, [[]], box);
  let shift = 0;
  setInterval(() => {
    shift += 0.05;
    const times = Array.from({ length: points }, (_, at) => 1.79e9 + shift + at / 1000);
    plot.setData([times, ...series.map((_, n) => times.map((_, at) => Math.sin(shift + at / 300 + n)))]);
  }, 50);
</script>`;

interface Tasks {
  readonly longest: number;
  /** Processor time of the task that took most of it: on a busy machine a task also waits for the processor. */
  readonly longest_cpu: number;
  readonly long: number;
  /** Of the main thread, percent; and of a processor. */
  readonly busy: number;
  readonly cpu: number;
}

async function measure(browser: Browser, page: Page): Promise<Tasks> {
  await sleep(SETTLE_MS);
  const recording = await startTrace(browser);
  await page.evaluate(`performance.mark("bench-begin")`);
  await sleep(MEASURE_MS);
  const tasks = (await recording.stop()).tasks();
  return {
    longest: rounded(tasks[0]?.ms ?? 0, 0),
    longest_cpu: rounded(Math.max(0, ...tasks.map(({ cpuMs }) => cpuMs)), 0),
    long: tasks.filter(({ ms }) => ms > LONG_TASK_MS).length,
    busy: rounded((100 * tasks.reduce((sum, { ms }) => sum + ms, 0)) / MEASURE_MS, 0),
    cpu: rounded((100 * tasks.reduce((sum, { cpuMs }) => sum + cpuMs, 0)) / MEASURE_MS, 0),
  };
}

/** Rows of the table that the plot would save: that it has all samples is part of the figure. */
async function samplesASecond(page: Page): Promise<number> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as CSV" }).click()]);
  const rows = readFileSync(await download.path(), "utf8")
    .trim()
    .split("\n")
    .slice(1);
  const [first = 0, last = 1] = [rows[0], rows.at(-1)].map((row) => Number(row?.split(",")[0]));
  return rounded(rows.length / (last - first), 0);
}

async function ofTopics(browser: Browser, topics: number): Promise<Tasks & { rows_s: number }> {
  const fields = TRACES / topics;
  const command = [process.execPath, WAVES, String(topics), String(fields)];
  await using manager = await BenchManager.up({ waves: { command, autostart: true, ready: { regex: "publishing" } } });
  const plot = Array.from({ length: TRACES }, (_, n) => ["trace", `waves/${Math.floor(n / fields)}:x${n % fields}`]);
  const page = await newPage(browser, manager, { settings: { plot } });
  await page.goto(`${httpOf(manager)}/?view=plot`);
  await page.locator(".plot-box canvas").first().waitFor();
  const tasks = await measure(browser, page);
  const rows_s = await samplesASecond(page);
  await page.context().close();
  return { ...tasks, rows_s };
}

const browser = await launchBrowser();
const one = await ofTopics(browser, 1);
const many = await ofTopics(browser, TRACES);
const bare = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
await bare.setContent(BARE_PLOT.replace("<script>", `<script>${readFileSync(UPLOT, "utf8")}</script><script>`));
const theirs = await measure(browser, bare);
await browser.close();

printFigure({
  figure: "page-plot",
  unit: `ms, longest task on the page's main thread while it plots ${TRACES} traces at 1 kHz of one topic`,
  value: one.longest,
  tasks: one,
  of_20_topics: many,
  peer: `bare uPlot that draws ${TRACES} traces of 10,000 points 20 times a second`,
  peer_value: theirs.longest,
  peer_tasks: theirs,
});
