import { afterAll, beforeAll, expect, test } from "vitest";
import { PageRig, type ShownPage, soon } from "../../support/page-rig.ts";

let rig: PageRig;
let shown: ShownPage;

beforeAll(async () => {
  rig = await PageRig.up({
    processes: {
      worker: { command: "echo up; exec sleep 1000", replicas: 3, autostart: true, ready: { regex: "up" } },
      db: { command: "sleep 1000" },
    },
  });
  shown = await rig.open("/", { viewport: { width: 1440, height: 900 } });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

test("replicas are one row with a dot for each, which opens to their rows; its view scales them and restarts them one by one", async () => {
  const { page } = shown;
  const row = page.getByRole("treeitem", { name: /^worker, / });
  const dots = (text: string) => row.getByRole("img", { name: text, exact: true });
  await dots("Replicas: 1 ready, 2 ready, 3 ready").waitFor();
  expect(await page.getByRole("treeitem", { name: /^worker\/2/ }).count()).toBe(0);
  await row.focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("treeitem", { name: /^worker\/2/ }).waitFor();
  await page.keyboard.press("Enter");
  expect(await shown.violations()).toEqual([]);

  await page.getByRole("button", { name: "One replica of worker more" }).click();
  await dots("Replicas: 1 ready, 2 ready, 3 ready, 4 ready").waitFor();
  await page.getByRole("button", { name: "One replica of worker less" }).click();
  await page.getByRole("button", { name: "Scale", exact: true }).click();
  await dots("Replicas: 1 ready, 2 ready, 3 ready").waitFor();

  const pids = async () => ((await rig.client.snapshot()).processes as { pid: number | null }[]).map(({ pid }) => pid);
  const before = await pids();
  const rolling = page.getByRole("button", { name: "Rolling restart" });
  await rolling.click();
  await page.getByRole("button", { name: "Restart one by one" }).click();
  await soon(async () => (await pids()).filter((pid, at) => pid !== null && pid !== before[at]).length).toBe(3);
  await rolling.waitFor();
  expect(await shown.violations()).toEqual([]);

  await page.setViewportSize({ width: 1024, height: 700 });
  const { x = 0, width = 0 } = (await page.getByRole("button", { name: "Show as terminals" }).boundingBox()) ?? {};
  expect(width).toBeGreaterThan(0);
  expect(x + width).toBeLessThanOrEqual(1_024);
});
