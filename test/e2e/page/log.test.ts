import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";
import { ECHO, EXIT_AS_TYPED } from "../support/shell.ts";

/** Number of entries: more than the page has at the beginning together with what it fetches at a time. */
const ENTRIES = 7_000;
const UNANSWERED = 500;
/** As many as it has then. In a whole check on a busy machine there were 6,938 rows: equal entries in a row are one. */
const MANY = 6_000;

let rig: PageRig;
let client: Client;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  rig = await PageRig.up({
    groups: { sim: { opened: true } },
    processes: {
      "sim/first": { command: ECHO, autostart: true },
      "sim/second": { command: ECHO, autostart: true },
      "sim/brief": { command: EXIT_AS_TYPED, autostart: true },
    },
  });
  ({ client } = rig);
  await rig.untilState("sim/brief", "started");
  await client.command({ type: "send_stdin", name: "sim/brief", text: "3\n" });
  await rig.untilState("sim/brief", "error");
  // Each is an entry: a start of what runs already is a request, too. In turn: the same again and again would be one row.
  for (let index = 1; index < ENTRIES; index++) {
    const start = { type: "start_process", name: index % 2 === 0 ? "sim/first" : "sim/second" };
    // Only so many requests of one connection may be unanswered.
    if (index % UNANSWERED === 0) await client.command(start);
    else client.send(start);
  }
  await client.command({ type: "start_process", name: "sim/first" });
  shown = await rig.open("/?view=log");
  ({ page } = shown);
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const entries = () => page.locator("[role=log] .entry");
const box = () => page.getByRole("log");
const scrollTo = (top: number | "end") =>
  box().evaluate((element, to) => {
    const { scrollHeight } = element as unknown as { scrollHeight: number };
    Object.assign(element, { scrollTop: to === "end" ? scrollHeight : to });
  }, top);
const ofBox = (what: string) => page.evaluate(`document.querySelector("[role=log]").${what}`) as Promise<number>;

test("of thousands of entries those in view are drawn, older ones are loaded on scrolling back, and none is missing", async () => {
  await entries().getByText("requests start of").last().waitFor();
  expect(await entries().count()).toBeLessThan(150);
  // To read back, users turn the wheel, which ends the following.
  await box().hover();
  await soon(async () => {
    await page.mouse.wheel(0, -400);
    return page.getByRole("button", { name: "Follow the newest entries" }).getAttribute("aria-pressed");
  }).toBe("false");
  await soon(async () => {
    await scrollTo(0);
    return (await ofBox("scrollHeight")) / 19;
  }).toBeGreaterThan(MANY);
  // The very first entries of the manager stand at the top.
  await soon(async () => {
    await scrollTo(0);
    return entries().first().textContent();
  }).not.toMatch(/requests start of 'sim/);
  expect(await entries().count()).toBeLessThan(150);
});

test("the view stays when scrolled back; at the end, it follows", async () => {
  await scrollTo(2_000);
  await soon(() => ofBox("scrollTop")).toBe(2_000);
  // The rows for this place are drawn after the scroll event of the next frame.
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
  const read = async () => (await entries().allTextContents()).join("\n");
  const before = await read();
  const from = client.here;
  await client.command({ type: "restart_process", name: "sim/first" });
  await client.untilState("sim/first", "started", from);
  await shown.untilRow("sim/first", "started");
  expect(await ofBox("scrollTop")).toBe(2_000);
  expect(await read()).toBe(before);
  await page.getByRole("button", { name: "Follow the newest entries" }).click();
  await entries()
    .getByText(/'started'$/)
    .last()
    .waitFor();
  await soon(async () => (await ofBox("scrollHeight")) - (await ofBox("scrollTop")) - (await ofBox("clientHeight"))).toBeLessThan(4);
});

test("the log is filtered by level, by source and by words, together", async () => {
  const messages = () => entries().locator(".msg").allTextContents();
  await page.getByLabel("Minimum level").selectOption("warning");
  await soon(async () => (await entries().locator(".level").allTextContents()).filter((level) => /info|debug/.test(level))).toEqual([]);
  await soon(async () => (await messages()).join("\n")).toMatch(/sim\/brief/);
  await page.getByLabel("Search the log").fill("no such words");
  await page.getByText("No matches.").waitFor();
  await page.getByLabel("Search the log").fill("EXITED");
  await soon(async () => (await messages()).every((message) => /exited/.test(message))).toBe(true);
  await page.getByLabel("Minimum level").selectOption("info");
  await page.getByLabel("Search the log").fill("");
  await page.getByLabel("Source").selectOption("manager");
  await soon(() => entries().count()).toBeGreaterThan(10);
});

test("debug entries are loaded on request, also earlier ones", async () => {
  await page.getByLabel("Source").selectOption("");
  await page.getByLabel("Minimum level").selectOption("debug");
  await page.getByLabel("Search the log").fill("");
  await soon(() => entries().count()).toBeGreaterThan(10);
  await page.getByLabel("Minimum level").selectOption("info");
  await entries().getByText("requests start of").last().waitFor();
});

test("an entry links to its process", async () => {
  await page.getByLabel("Search the log").fill("brief changes state");
  await page.getByLabel("Search the log").fill("sim/brief");
  await entries().getByRole("link", { name: "sim/brief" }).last().click();
  await page.getByRole("heading", { name: "sim/brief" }).waitFor();
  await page.getByText("Failed: exit code 3").waitFor();
  await shown.run("Show its log entries");
  await soon(() => page.getByLabel("Search the log").inputValue()).toBe("sim/brief");
});

test("repeated entries are one row, which expands; matches of a search are marked", async () => {
  await page.getByLabel("Search the log").fill("");
  for (let index = 0; index < 4; index++) await client.command({ type: "start_process", name: "sim/second" });
  const repeated = entries().filter({ hasText: "requests start of 'sim/second'" }).last();
  const count = repeated.getByRole("button", { name: /^4 times in a row: / });
  await count.waitFor();
  expect(await count.textContent()).toBe("× 4");
  const tail = async () => (await entries().locator(".msg").allTextContents()).slice(-4).map((text) => /'sim\/second'(× 4)?$/.test(text));
  const folded = [false, false, false, true];
  await soon(tail).toEqual(folded);
  await count.focus();
  await page.keyboard.press("Enter");
  await soon(tail).toEqual([true, true, true, true]);
  const opened = page.getByRole("button", { name: /^4 times in a row: / }).last();
  expect(await opened.getAttribute("aria-expanded")).toBe("true");
  await opened.click();
  await soon(tail).toEqual(folded);
  await page.getByLabel("Search the log").fill("START of 'sim/sec");
  await soon(async () => [...new Set(await entries().locator("mark").allTextContents())].sort()).toEqual(["sim/sec", "start of '"]);
  // In errors, too.
  await page.getByLabel("Search the log").fill("sim/brief");
  await page.locator(".level-error mark").first().waitFor();
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await soon(() => page.locator("html").getAttribute("data-theme")).toBe(colorScheme);
    expect(await shown.violations(["color-contrast"]), colorScheme).toEqual([]);
  }
  await page.getByLabel("Search the log").fill("");
});

test("the log opens in a window of its own, and below everything else", async () => {
  const [window] = await Promise.all([
    page.context().waitForEvent("page"),
    shown.choose("More actions of the log", "Open log in new window"),
  ]);
  await window.getByText("connected", { exact: true }).waitFor();
  await window.locator("[role=log] .entry").last().waitFor();
  const from = client.here;
  await client.command({ type: "restart_process", name: "sim/first" });
  await client.untilState("sim/first", "started", from);
  await window.getByText("'sim/first' changes state from 'starting' to 'started'").last().waitFor();
  await window.close();
  await shown.run("Overview");
  await page.keyboard.press("l");
  const dock = page.getByRole("complementary", { name: "Log" });
  await dock.locator(".entry").last().waitFor();
  await page.reload();
  await dock.locator(".entry").last().waitFor();
  await dock.getByRole("button", { name: "Hide the log l" }).click();
  await dock.waitFor({ state: "detached" });
});

test("the page reported no error", () => {
  expect(rig.complaints).toEqual([]);
});
