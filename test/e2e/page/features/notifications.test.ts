import { afterAll, beforeAll, expect, test } from "vitest";
import { PageRig, type ShownPage, soon } from "../../support/page-rig.ts";

let rig: PageRig;
let shown: ShownPage;

beforeAll(async () => {
  rig = await PageRig.up({
    notifications: {
      ways: { page: { browser: {} }, gone: { webhook: { url: "http://127.0.0.1:1/secret" } } },
      rules: [{ name: "failures", on: ["failed"], ways: ["page"], group_wait: "0s" }],
    },
    processes: { "sim/bad": { command: "exit 3", shell: true }, "sim/worse": { command: "exit 4", shell: true } },
  });
  shown = await rig.open("/?view=notifications", { viewport: { width: 1440, height: 900 } });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

test("the view of notifications shows what a rule matches and what was sent, and silences hold the next one back", async () => {
  const { page } = shown;
  const matches = page.getByRole("list", { name: "Matches of failures" });
  await page.getByRole("region", { name: "Rule failures" }).getByText("Nothing now.").waitFor();
  await rig.client.ask({ type: "start_process", name: "sim/bad" });
  await matches.getByText("process sim/bad failed: exited with code 3").waitFor();
  await matches.getByText("notified", { exact: true }).waitFor();
  // This browser was not asked for its permission: the page itself shows it.
  await soon(async () => (await page.evaluate<string[]>("globalThis.notices")).some((text) => text.includes("Problem: sim/bad"))).toBe(
    true,
  );
  const history = page.getByRole("list", { name: "History" });
  await history.getByText(/Problem: sim\/bad/).waitFor();
  await history.getByText("sent", { exact: true }).waitFor();

  await page.getByLabel("Process, group, host or pattern").fill("sim/worse");
  await page.getByLabel("Reason").fill("<b>known</b>");
  await page.keyboard.press("Enter");
  const silences = page.getByRole("list", { name: "Silences" });
  await silences.getByText("<b>known</b>").waitFor();
  await rig.client.ask({ type: "start_process", name: "sim/worse" });
  await matches.getByText("silenced", { exact: true }).waitFor();
  expect(await shown.violations()).toEqual([]);
  await silences.getByRole("button", { name: "End the silence of sim/worse" }).click();
  await page.getByText("Nothing is silenced.").waitFor();
  await history.getByText(/Problem: sim\/worse/).waitFor();

  const ways = page.getByRole("list", { name: "Ways" });
  expect(await ways.getByText("http://127.0.0.1:1").count()).toBe(1);
  await ways.getByRole("button", { name: "Send a test on gone" }).click();
  await soon(async () =>
    (await page.evaluate<string[]>("globalThis.notices")).some((text) => text.startsWith("The test was not sent on gone: ")),
  ).toBe(true);
  expect(await page.content()).not.toContain("/secret");
});
