import type { Browser, Page } from "playwright-core";
import { httpOf, newPage } from "./browser.ts";
import type { BenchManager } from "./manager.ts";
import { startTrace } from "./trace.ts";

/** A mark two frames after `test` holds for the first time: what it saw has been painted, and the page answers. */
const markWhen = (test: string) => `globalThis.benchInteractive = new Promise((resolve) => {
  const observer = new MutationObserver(() => {
    if (!(${test})) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.mark("bench-interactive").name)));
  });
  observer.observe(document, { childList: true, subtree: true, characterData: true });
});`;
const OURS = markWhen(`document.querySelector("[role=treeitem]") && document.querySelector(".link.ok")`);
const barePage = (count: number) => markWhen(`document.querySelectorAll("#list div").length >= ${count}`);

export interface Opening {
  /** Milliseconds from navigation to interactive, the browser's cache empty. */
  readonly ms: number;
  /** The longest task on the way, and its processor time, milliseconds. */
  readonly task: number;
  readonly taskCpu: number;
  /** Processor time of all tasks of the page's main thread on the way, milliseconds. */
  readonly cpu: number;
}

/** Opens the manager's page, or the bare page of an address with `count` rows. `inspect` is called with the open page. */
export async function openPage(
  browser: Browser,
  origin: BenchManager | string,
  count: number,
  inspect?: (page: Page) => Promise<void>,
): Promise<Opening> {
  const isBare = typeof origin === "string";
  const page = await newPage(browser, origin, { script: isBare ? barePage(count) : OURS });
  const url = isBare ? origin : httpOf(origin);
  const recording = await startTrace(browser);
  await page.goto(url);
  await page.evaluate("benchInteractive");
  const trace = await recording.stop();
  const begin = trace.navigationTo(url);
  const [end = Number.NaN] = trace.marks("bench-interactive");
  await inspect?.(page);
  await page.context().close();
  const tasks = trace.tasks(begin, end);
  return {
    ms: (end - begin) / 1_000,
    task: tasks[0]?.ms ?? 0,
    taskCpu: Math.max(0, ...tasks.map(({ cpuMs }) => cpuMs)),
    cpu: tasks.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
  };
}
