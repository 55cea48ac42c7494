import type { Browser, Page } from "playwright-core";
import { httpOf, newPage } from "./browser.ts";
import type { BenchManager } from "./manager.ts";
import { type Shown, shownIn, startTrace } from "./trace.ts";

/** Pixels, and pixels per second: all rows go by in about seven seconds, there and back. */
const DISTANCE = 12_000;
const SPEED = 3_500;
const MARKS = `performance.mark("bench-page");`;

/** Scrolls a list of the manager's page, or of the bare page of an address, down and up again. */
export async function scrollPage(browser: Browser, origin: BenchManager | string, list: string): Promise<Shown> {
  const folds = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`group ${index}`, true]));
  const page = await newPage(browser, origin, { script: MARKS, settings: { folds } });
  await page.goto(typeof origin === "string" ? origin : httpOf(origin));
  await page.locator(`[data-name="group 0/process 0000"]`).waitFor();
  const scroll = await wheelOver(page, list, SPEED);
  const recording = await startTrace(browser);
  await page.evaluate(`performance.mark("bench-page"); performance.mark("bench-begin")`);
  for (const direction of [-1, 1]) await scroll(direction * DISTANCE);
  await page.evaluate(`performance.mark("bench-end")`);
  const trace = await recording.stop();
  await page.context().close();
  return shownIn(trace);
}

/** Turns the wheel over a list of a page: by so many pixels, at this many a second. */
export async function wheelOver(page: Page, list: string, speed: number): Promise<(distance: number) => Promise<unknown>> {
  const box = await page.locator(list).boundingBox();
  if (!box) throw new Error(`${list} is not to be seen`);
  const session = await page.context().newCDPSession(page);
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  return (yDistance) => session.send("Input.synthesizeScrollGesture", { ...middle, yDistance, speed, gestureSourceType: "mouse" });
}
