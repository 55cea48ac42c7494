import type { Browser } from "playwright-core";
import { httpOf, newPage } from "./browser.ts";
import type { BenchManager } from "./manager.ts";
import { startTrace } from "./trace.ts";

/** Pixels, and pixels per second: all rows go by in about seven seconds, there and back. */
const DISTANCE = 12_000;
const SPEED = 3_500;
const MARKS = `performance.mark("bench-page");`;

export interface Scrolling {
  fps: number;
  /** The longest time between two frames, milliseconds. */
  gap: number;
  task: number;
}

/** Scrolls a list of the manager's page, or of the bare page of an address, down and up again. */
export async function scrollPage(browser: Browser, origin: BenchManager | string, list: string): Promise<Scrolling> {
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
