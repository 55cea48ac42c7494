import { afterAll, beforeAll, expect, test } from "vitest";
import { PageRig, type ShownPage, soon } from "../../support/page-rig.ts";
import { ECHO } from "../../support/shell.ts";

let rig: PageRig;
let shown: ShownPage;

beforeAll(async () => {
  rig = await PageRig.up({
    processes: {
      "sim/echo": { command: ECHO, autostart: true, alert: { output_matches: "lost" } },
      other: { command: ECHO, autostart: true },
    },
  });
  await rig.untilState("sim/echo", "started");
  shown = await rig.open("/", { viewport: { width: 1440, height: 900 } });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

test("a process whose output matched needs attention in the overview, the tree and its view, until it is dismissed", async () => {
  const { page } = shown;
  await page.getByRole("heading", { name: "No problems." }).waitFor();
  await rig.client.command({ type: "send_stdin", name: "sim/echo", text: "<b>the arm</b> is lost\n" });
  await page.getByRole("heading", { name: "1 process needs attention." }).waitFor();
  const rows = page.getByRole("list", { name: "Needs attention" }).locator("> li");
  await soon(() => rows.count()).toBe(1);
  await rows.getByText(/^Its output matched at \S+: <b>the arm<\/b> is lost$/).waitFor();
  for (const name of ["sim", "sim/echo"]) await page.getByRole("treeitem", { name: `${name}, started, needs attention` }).waitFor();
  expect(await shown.violations()).toEqual([]);

  await rows.getByRole("link", { name: "sim/echo" }).click();
  const view = page.getByRole("region", { name: "Process sim/echo" });
  await view.getByText(/^Its output matched at/).waitFor();
  await view.getByRole("button", { name: "Dismiss the alert of sim/echo" }).focus();
  await page.keyboard.press("Enter");
  await view.getByText(/^Its output matched at/).waitFor({ state: "detached" });
  await soon(() => page.getByRole("treeitem", { name: /needs attention/ }).count()).toBe(0);
  await page.goBack();
  await page.getByRole("heading", { name: "No problems." }).waitFor();
});
