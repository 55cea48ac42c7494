import { afterAll, beforeAll, expect, test } from "vitest";
import { PageRig, type ShownPage, soon } from "../../support/page-rig.ts";
import { ECHO } from "../../support/shell.ts";

let rig: PageRig;
let shown: ShownPage;

beforeAll(async () => {
  rig = await PageRig.up({
    modes: { run: { start: ["drive"], stop: ["teach"] }, teach: { start: ["teach"], stop: ["drive"] } },
    processes: { drive: { command: ECHO, essential: true }, teach: { command: ECHO, autostart: true } },
  });
  await rig.untilState("teach", "started");
  shown = await rig.open("/", { viewport: { width: 1440, height: 900 } });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

test("the menu in the top bar switches after a preview, by keyboard and on a phone, and shows when the set-up differs from the mode", async () => {
  const { page } = shown;
  await page.getByRole("button", { name: "Mode: none" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "run" }).waitFor();
  expect(await shown.violations()).toEqual([]);
  await page.keyboard.press("Enter");
  const question = page.getByRole("dialog", { name: "Switch to mode run?" });
  await question.getByText("1 process will stop, 1 process will start.").waitFor();
  await question.getByText("+ drive, starts").waitFor();
  expect(await shown.violations()).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Mode: run", exact: true }).waitFor();
  await rig.untilState("drive", "started");
  await rig.untilState("teach", "stopped");

  await rig.client.command({ type: "start_process", name: "teach" });
  await page.getByRole("button", { name: "Mode: run (also running: teach)" }).waitFor();
  await page.setViewportSize({ width: 390, height: 780 });
  const menu = page.getByRole("button", { name: /^Mode: run/ });
  await soon(async () => (await menu.boundingBox())?.width ?? 0).toBeGreaterThan(40);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
});
