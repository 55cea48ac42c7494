import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageRig, soon } from "../../support/page-rig.ts";

const NAME = "sim/crasher";
/** `$$$$`: the configuration reads it as `$$`. */
const COMMAND = "printf '\\033[31mred\\033[0m <b>bold</b>\\n'; kill -SEGV $$$$";

let rig: PageRig;

beforeAll(async () => {
  rig = await PageRig.up({
    flight: { triggers: { crash: { on: "crash", before: "10s", after: 0 } } },
    processes: { [NAME]: { command: COMMAND }, "tools/sleeper": { command: "sleep 1000", autostart: true } },
  });
  await rig.client.command({ type: "start_process", name: NAME });
  await rig.client.until("its report", ({ type }) => type === "crash_report_made", 0);
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const output = (page: Page) => page.locator(".crash-report pre").first();

test("the row of a failed process leads to its crash report, whose address can be shared, and which can be saved and deleted", async () => {
  const { page } = await rig.open("/");
  await page.getByRole("link", { name: `Crash report of ${NAME}` }).press("Enter");
  const report = page.getByRole("region", { name: `Crash of ${NAME}` });
  await report.getByText(/^ended by SIGSEGV/).waitFor();
  // Its output is text, without sequences and markup.
  await soon(() => output(page).textContent()).toBe("red <b>bold</b>\n");
  const address = new URL(page.url());
  expect(address.searchParams.get("crash")).toBe(NAME);

  const shared = await rig.open(`/${address.search}`, { viewport: { width: 390, height: 800 } });
  await shared.page.getByText(/^ended by SIGSEGV/).waitFor();
  await soon(() => shared.page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  expect(await shared.violations()).toEqual([]);
  await shared.page.context().close();

  const [saved] = await Promise.all([page.waitForEvent("download"), report.getByRole("button", { name: "JSON" }).press("Enter")]);
  expect(saved.suggestedFilename()).toMatch(/^crash-sim-crasher-\d+-\d+\.json$/);
  expect(JSON.parse(readFileSync(await saved.path(), "utf8"))).toMatchObject({
    name: NAME,
    signal: "SIGSEGV",
    output: { text: expect.stringContaining("\x1b[31m") },
  });

  await report.getByRole("link", { name: NAME }).press("Enter");
  await page.getByRole("button", { name: /^Details/ }).press("Enter");
  const link = page.getByRole("complementary", { name: `Details of ${NAME}` }).getByRole("link", { name: /^Crash report of / });
  await link.press("Enter");
  await report.getByRole("button", { name: "Delete" }).press("Enter");
  await soon(() => new URL(page.url()).searchParams.get("process")).toBe(NAME);
  await soon(() => link.count()).toBe(0);
  await page.goto(address.href);
  await page.getByText(/^there is no crash report of run/).waitFor();
  expect(rig.complaints).toEqual([]);
  await page.context().close();
});

test("an incident shows why it was kept, the terminal at a moment, and what had happened; its address is a link to what is shown", async () => {
  const desk = await rig.open("/?view=incidents");
  const { page } = desk;
  await page.getByRole("button", { name: "Snapshot…" }).press("Enter");
  const note = page.getByLabel("Note: what you saw");
  await note.fill("vibrates");
  // What is open in a pane stays when the window becomes as narrow as that of a phone, and wide again, also beside another pane.
  const crossed = async () => {
    for (const width of [390, 1_280]) {
      await page.setViewportSize({ width, height: 800 });
      await soon(() => page.locator(".phone-nav").isVisible()).toBe(width < 720);
      expect(await note.inputValue()).toBe("vibrates");
    }
  };
  await crossed();
  await desk.run("Split right");
  await desk.run("Incidents");
  await page.locator(".pane.focused").getByRole("button", { name: "Snapshot…" }).press("Enter");
  await soon(() => note.count()).toBe(1);
  await note.fill("vibrates");
  await crossed();
  await desk.run("Close all other tabs and panes");
  await soon(() => page.locator(".pane").count()).toBe(1);
  await page
    .locator(".data-table tbody tr")
    .filter({ hasText: `${NAME} crashed` })
    .first()
    .click();
  const incident = page.getByRole("region", { name: /^Incident / });
  await incident.getByText(`${NAME} crashed: ended by SIGSEGV`).first().waitFor();
  const moment = incident.getByRole("slider", { name: "Moment" });
  await moment.press("Home");
  await moment.press("End");
  await incident.locator(".still-terminal .xterm-rows").getByText("red <b>bold</b>").waitFor();
  await incident.getByText(`${NAME} ended: SIGSEGV`).waitFor();
  // A field of a topic is plotted on the same axis, at the same cursor.
  await incident.locator("summary", { hasText: "mgr/processes" }).press("Enter");
  await incident.getByRole("button", { name: "pid", exact: true }).press("Enter");
  await incident.locator(".plot-box canvas").waitFor();
  await soon(() => incident.locator(".trace-value").textContent()).toMatch(/^\d/);
  await soon(() => new URL(page.url()).searchParams.get("field")).toBe("mgr/processes:pid");
  const address = new URL(page.url());
  expect(address.searchParams.has("moment")).toBe(true);
  await incident.getByRole("img", { name: new RegExp(`^${NAME}: .*failed: SIGSEGV from `) }).waitFor();
  const before = await moment.getAttribute("aria-valuenow");
  await moment.press("Shift+ArrowLeft");
  await soon(async () => Number(await moment.getAttribute("aria-valuenow"))).toBeLessThan(Number(before));
  await incident.getByRole("button", { name: "Zoom in" }).press("Enter");
  await soon(() => incident.getByRole("button", { name: "Zoom out" }).isEnabled()).toBe(true);
  // The plot has the span, the cursor and the keys of the timeline.
  const cursors = () => incident.locator(".timeline-line.is-cursor").evaluateAll((lines) => lines.map((line) => line.style.left));
  const plot = incident.locator(".plot-box");
  const edges = (selector: string) =>
    incident.locator(selector).evaluate((each) => {
      const { left, right } = each.getBoundingClientRect();
      return [Math.round(left), Math.round(right)];
    });
  await soon(() => edges(".plot-box .u-over")).toEqual(await edges(".timeline-axis"));
  const [here, same] = await cursors();
  expect(same).toBe(here);
  const span = new URL(page.url()).searchParams.get("span");
  await plot.press("+");
  await soon(() => new URL(page.url()).searchParams.get("span")).not.toBe(span);
  await plot.locator(".u-over").click({ position: { x: 20, y: 20 } });
  await soon(async () => new Set(await cursors()).size).toBe(1);
  await soon(async () => (await cursors())[0]).not.toBe(here);
  await plot.press("0");
  await soon(() => incident.getByRole("button", { name: "Zoom out" }).isEnabled()).toBe(false);
  // The pointer moves the cursor, too.
  await moment.click({ position: { x: 2, y: 10 } });
  await soon(() => incident.locator(".still-terminal .xterm-rows").textContent()).not.toContain("red");
  expect(await desk.violations()).toEqual([]);

  const phone = await rig.open(`/${address.search}`, { viewport: { width: 390, height: 800 }, colorScheme: "dark" });
  await phone.page.locator(".still-terminal .xterm-rows").getByText("red <b>bold</b>").waitFor();
  await phone.page.getByRole("img", { name: "Plot of mgr/processes.pid" }).locator("canvas").waitFor();
  await soon(() => phone.page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  expect(await phone.violations()).toEqual([]);
  await phone.page.context().close();

  await incident.getByRole("button", { name: "Pin", exact: true }).press("Enter");
  await incident.getByRole("button", { name: "Pinned" }).waitFor();
  await incident.getByRole("button", { name: "Delete" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).press("Enter");
  await page.getByText("No incidents.").waitFor();
  expect(rig.complaints).toEqual([]);
  await page.context().close();
});
