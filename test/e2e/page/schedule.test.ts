import { afterAll, beforeAll, expect, test } from "vitest";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";

let rig: PageRig;
let shown: ShownPage;

beforeAll(async () => {
  rig = await PageRig.up({
    processes: {
      "jobs/backup": { command: "sleep 1000", schedule: { cron: "0 3 * * *", timezone: "UTC" }, tags: ["nightly"] },
      db: { command: "sleep 1000" },
    },
  });
  shown = await rig.open("/", { viewport: { width: 1440, height: 900 } });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

test("the overview lists schedules, and the details of a process show its schedule, that it is paused, and its tags, by which the tree is filtered", async () => {
  const { page } = shown;
  const row = page.getByRole("table", { name: "Schedules" }).getByRole("row", { name: /jobs\/backup/ });
  await row.getByText("cron 0 3 * * * (UTC)").waitFor();
  await row.getByText(/\(in \d+[hms]/).waitFor();
  expect(await shown.violations()).toEqual([]);
  await row.getByRole("link", { name: "jobs/backup" }).click();
  await page.getByRole("button", { name: "Details d" }).click();
  const section = (name: string) => page.locator(".detail-section").filter({ has: page.getByRole("heading", { name, exact: true }) });
  await section("Schedule").getByText("The run is skipped").waitFor();
  await rig.client.ask({ type: "stop_process", name: "jobs/backup" });
  await section("Schedule").getByText("Paused until the process is started").waitFor();
  expect(await page.getByRole("treeitem", { name: /^db/ }).count()).toBe(1);
  await section("Tags").getByRole("button", { name: "nightly" }).click();
  await soon(() => page.getByRole("treeitem", { name: /^db/ }).count()).toBe(0);
  expect(await page.getByRole("treeitem", { name: /backup/ }).count()).toBe(1);
  expect(await shown.violations()).toEqual([]);
});
