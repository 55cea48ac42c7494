import { afterAll, beforeAll, expect, test } from "vitest";
import { PageRig, soon } from "../../support/page-rig.ts";

let rig: PageRig;

beforeAll(async () => {
  rig = await PageRig.up({ processes: { "sim/world": { command: "sleep 1000" }, "sim/arm": { command: "sleep 1000" } } });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

test("the audit shows who gave which command, filters, loads older entries, and is used with the keyboard", async () => {
  // More than one page of entries.
  for (let count = 0; count < 210; count++)
    await rig.client.command({ type: "set_process_low_delay_output", name: "sim/arm", enabled: count % 2 === 0 });
  await rig.client.command({ type: "start_process", name: "sim/world" });
  await rig.client.ask({ type: "send_signal", name: "sim/arm", signal: "SIGHUP" });
  const shown = await rig.open("/?view=audit");
  const { page } = shown;
  const view = page.getByRole("region", { name: "Audit", exact: true });
  const rows = view.locator("tbody tr");
  const names = view.locator("button.row-name");
  const field = (name: string) => view.getByRole("searchbox", { name });
  await soon(() => rows.count()).toBe(200);
  const refused = rows.filter({ hasText: "send_signal" });
  expect(await refused.textContent()).toContain("refused");
  await page.getByRole("button", { name: "Load older" }).click();
  await soon(() => rows.count()).toBeGreaterThan(211);
  await field("Command").fill("*_process");
  await page.keyboard.press("Enter");
  await soon(() => rows.count()).toBe(1);
  await names.first().focus();
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary", { name: /^Entry \d+/ });
  expect(await panel.textContent()).toContain("sim/world");
  await field("Command").fill("");
  await page.keyboard.press("Enter");
  await soon(() => rows.count()).toBe(200);
  await field("Name").fill("nothing");
  await page.keyboard.press("Enter");
  await page.getByText("No commands were recorded.").waitFor();
  await field("Name").fill("");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Period" }).selectOption("Last hour");
  await soon(() => rows.count()).toBe(200);
  await page.context().close();
});
