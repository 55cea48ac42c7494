import { afterAll, beforeAll, expect, test } from "vitest";
import { PageRig, RULES_OF_COLOURS, type ShownPage, soon } from "../../support/page-rig.ts";

/** Half a day away from now. */
const DAILY = `0 ${(new Date().getUTCHours() + 12) % 24} * * *`;

let rig: PageRig;
let shown: ShownPage;

beforeAll(async () => {
  rig = await PageRig.up({
    processes: {
      "jobs/backup": { command: "sleep 1000", schedule: { cron: DAILY, timezone: "UTC" }, tags: ["nightly", "big"] },
      db: { command: "sleep 1000", tags: ["big"] },
      "tools/plain": { command: "sleep 1000" },
    },
  });
  shown = await rig.open("/", { viewport: { width: 1440, height: 900 } });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

test("the overview lists schedules, and the details of a process show its schedule, that it is paused, and its tags, by which the tree is filtered", async () => {
  const { page } = shown;
  const row = page.getByRole("table", { name: "Schedules" }).getByRole("row", { name: /jobs\/backup/ });
  await row.getByText(`cron ${DAILY} (UTC)`).waitFor();
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

test("the tree is arranged by tags, with a process below each of its tags, by mouse and keys, and stays so after a reload", async () => {
  const { page } = shown;
  const rows = () => page.getByRole("treeitem").evaluateAll((all) => all.map((row) => row.querySelector(".name")?.textContent));
  await page.getByRole("searchbox").fill("");
  await soon(rows).toEqual(["jobs", "backup", "db", "tools", "plain"]);
  await page.getByRole("combobox", { name: "Arrange by" }).selectOption("tag");
  await soon(rows).toEqual(["big", "jobs/backup", "db", "nightly", "jobs/backup", "No tags", "tools/plain"]);
  expect(await shown.violations()).toEqual([]);
  await shown.turn("dark");
  expect(await shown.violations(RULES_OF_COLOURS)).toEqual([]);

  // The keys of the tree: to the second row of the process, to its heading, which folds, and a command for all below it.
  await page
    .getByRole("treeitem", { name: /^jobs\/backup/ })
    .nth(1)
    .focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await soon(rows).toEqual(["big", "jobs/backup", "db", "nightly", "No tags", "tools/plain"]);
  await page.keyboard.press("s");
  await page.getByRole("dialog").getByRole("button", { name: "Start", exact: true }).click();
  await rig.untilState("jobs/backup", "started");
  expect((await rig.client.process("db")).state).toBe("stopped");

  // All with a tag at once; what is counted is processes, not rows.
  await page.getByRole("treeitem", { name: /^big/ }).click({ button: "right" });
  await page.getByRole("menuitem", { name: /^Start/ }).click();
  await page
    .getByRole("dialog", { name: "Start 2 processes (tag:big)?" })
    .getByRole("button", { name: /^Start/ })
    .click();
  await rig.untilState("db", "started");
  await soon(() => page.getByRole("treeitem", { name: /^big/ }).locator(".count").getAttribute("data-count")).toBe("2/2");

  await page.reload();
  await shown.connected();
  await soon(rows).toEqual(["big", "jobs/backup", "db", "nightly", "No tags", "tools/plain"]);
  // The next process is another one, although the shown one has two rows.
  await shown.run("Go to jobs/backup");
  await shown.run("Expand all groups");
  await soon(rows).toEqual(["big", "jobs/backup", "db", "nightly", "jobs/backup", "No tags", "tools/plain"]);
  await page.getByRole("treeitem", { name: /^big/ }).focus();
  const shownName = () => page.evaluate("new URLSearchParams(location.search).get('process')");
  for (const next of ["db", "tools/plain", "jobs/backup"]) {
    await page.keyboard.press("j");
    await soon(shownName).toBe(next);
  }
  await shown.run("Arrange the tree by groups");
  await soon(rows).toEqual(["jobs", "backup", "db", "tools", "plain"]);
  expect(rig.complaints).toEqual([]);
});
