import { writeFileSync } from "node:fs";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeUpNetwork } from "../support/made-up-network.ts";
import { PageRig, RULES_OF_COLOURS, ShownPage, soon } from "../support/page-rig.ts";
import { ECHO, EXIT_AS_TYPED, READY_WHEN_TYPED } from "../support/shell.ts";
import { LAYOUT_FAULTS, TOUCH_FAULTS } from "./layout-faults.ts";

/** The longest names that one meets: of groups, of a process. */
const LONG = "a-group-with-quite-a-long-name/of-a-robot-arm/inverse-kinematics-solver-left";

/** Says which bytes it is given, a read at a time. */
const BYTES = `${process.execPath} -e 'process.stdin.setRawMode(true).on("data", (data) => console.log("typed", data.toString("hex").replace(/..(?=.)/g, "$& ")));console.log("hello")'`;

let rig: PageRig;

beforeAll(async () => {
  rig = await PageRig.up({
    groups: { sim: { opened: true }, tools: { opened: true } },
    flight: { triggers: {} },
    processes: {
      "sim/gate": { command: READY_WHEN_TYPED, ready: { regex: "listening" }, autostart: true },
      "sim/after": { command: ECHO, depends_on: { "sim/gate": { condition: "ready" } }, autostart: true },
      "tools/echo": { command: ECHO, alternate_commands: { other: "sleep 1000" }, autostart: true },
      "tools/brief": { command: EXIT_AS_TYPED, autostart: true },
      "tools/loop": { command: "false", autostart: true, restart: { policy: "on-failure", delay: "1h" } },
      "tools/keys": { command: BYTES, autostart: true },
      [LONG]: { command: ECHO, autostart: true },
    },
  });
  await rig.client.ask({ type: "start_recording", name: "run-1", include: ["processes"], min_free_space: 0 });
  await rig.untilState("tools/brief", "started");
  await rig.client.command({ type: "send_stdin", name: "tools/brief", text: "3\n" });
  await rig.untilState("tools/brief", "error");
  await rig.untilState("tools/loop", "backoff");
  await rig.client.ask({ type: "stop_recording", name: "run-1" });
  const topics = [LONG, "camera"].map((name) => ({ name, log_size: 10_000, divisor: 7 }));
  await rig.client.ask({ type: "configure_logger", name: "arm", only_ts: true, topics });
  await rig.client.ask({ type: "start_logger", name: "arm" });
  await rig.client.ask({ type: "keep_incident", note: `${LONG} vibrates` });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

/** Every view and dialog, and how one gets there. */
const VIEWS: Readonly<Record<string, (shown: ShownPage) => Promise<unknown>>> = {
  overview: (shown) => shown.go("/"),
  "all processes": (shown) => shown.goInPage("/?view=all"),
  "the process list": async (shown) => {
    await shown.goInPage("/mgr/process-list");
    await shown.page.locator("tr[data-key]").first().waitFor();
  },
  "a task": async (shown) => {
    await shown.page.getByLabel(/^Filter tasks/).fill("process==tools/echo");
    await shown.page.getByRole("link", { name: "tools/echo" }).waitFor();
    await shown.page.locator("tr[data-key]").first().click();
    await shown.page.getByRole("complementary", { name: /^Task/ }).waitFor();
  },
  log: (shown) => shown.goInPage("/?view=log"),
  topics: (shown) => shown.goInPage("/?view=topics"),
  parameters: (shown) => shown.goInPage("/?view=parameters"),
  "a form that starts a recording": async (shown) => {
    await shown.goInPage("/?view=recordings");
    await shown.page.getByRole("button", { name: "Record…" }).click();
    const form = shown.page.getByRole("complementary", { name: "Start a recording" });
    await form.getByLabel("Topic or pattern").fill(`${LONG}/*`);
    await form.getByRole("button", { name: "Add" }).click();
    for (const part of ["Also record", "Limits"]) await form.getByText(part, { exact: true }).click();
  },
  "a recording": async (shown) => {
    // The form that is open covers a phone.
    await shown.page.getByRole("complementary", { name: "Start a recording" }).getByRole("button", { name: "Close" }).click();
    await shown.page.getByRole("button", { name: "run-1", exact: true }).click();
    await shown.page.getByRole("complementary", { name: "Recording run-1" }).waitFor();
  },
  "a recorded file": async (shown) => {
    await shown.page.getByRole("button", { name: "Plot" }).click();
    await shown.page.getByText("mgr/processes", { exact: true }).click();
    await shown.page.getByRole("button", { name: "pid", exact: true }).click();
    await shown.page.locator(".plot-box canvas").waitFor();
  },
  incidents: async (shown) => {
    await shown.goInPage("/?view=incidents");
    await shown.page.locator("tr[data-key]").first().waitFor();
  },
  "a form that keeps an incident": (shown) => shown.page.getByRole("button", { name: "Snapshot…" }).click(),
  "an incident": async (shown) => {
    await shown.page.getByRole("button", { name: "Snapshot…" }).click();
    await shown.page.locator("tr[data-key]").first().click();
    await shown.page.locator(".still-terminal .xterm-rows").waitFor();
  },
  "a logger": async (shown) => {
    await shown.goInPage("/?view=loggers");
    await shown.page.getByRole("button", { name: "arm", exact: true }).click();
    await shown.page.getByRole("complementary", { name: "Logger arm" }).waitFor();
  },
  "a form that makes a logger": async (shown) => {
    await shown.page.getByRole("button", { name: "New logger…" }).click();
    const form = shown.page.getByRole("complementary", { name: "New logger" });
    await form.getByLabel("Topic", { exact: true }).fill(LONG);
    await form.getByRole("button", { name: "Add" }).click();
    await form.getByLabel(`Samples kept of ${LONG}`).waitFor();
  },
  "a group": (shown) => shown.goInPage("/?group=sim"),
  "a group's terminals": async (shown) => {
    await shown.run("Show groups as terminals");
    await shown.page.locator(".xterm-rows").first().waitFor();
    await shown.run("Show groups as tables");
  },
  "a process with its details": async (shown) => {
    await shown.goInPage("/?process=tools/echo");
    await shown.page.locator(".xterm-rows").waitFor();
    const details = shown.page.getByRole("button", { name: "Details d" });
    if ((await details.getAttribute("aria-pressed")) === "false") await details.click();
    await shown.page.getByRole("button", { name: "Show commands" }).press("Enter");
    await shown.page.locator(".details pre").waitFor();
  },
  "a search in a terminal": async (shown) => {
    await shown.page.getByRole("button", { name: "Details d" }).click();
    await shown.page.getByRole("button", { name: "Search Ctrl-Shift-F" }).click();
    await shown.page.getByLabel("Search the terminal").fill("hello");
  },
  "a failed process": (shown) => shown.goInPage("/?process=tools/brief"),
  "a process that waits for its restart": (shown) => shown.goInPage("/?process=tools/loop"),
  "a process that waits": (shown) => shown.goInPage("/?process=sim/after"),
  palette: async (shown) => {
    await shown.page.keyboard.press("Control+Shift+K");
    await shown.page.getByRole("dialog", { name: "Command palette" }).getByRole("option").first().waitFor();
  },
  "the sheet of keys": async (shown) => {
    await shown.page.keyboard.press("Escape");
    await shown.page.getByRole("dialog").waitFor({ state: "hidden" });
    await shown.run("Keyboard shortcuts");
    await shown.page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  },
  settings: async (shown) => {
    await shown.page.keyboard.press("Escape");
    await shown.run("Settings");
    await shown.page.getByRole("dialog", { name: "Settings" }).waitFor();
  },
  configuration: async (shown) => {
    await shown.page.keyboard.press("Escape");
    await shown.page.getByRole("dialog", { name: "Settings" }).waitFor({ state: "hidden" });
    await shown.goInPage("/?view=config");
    await shown.page.locator(".cm-content").waitFor();
  },
  "a plan and a toast": async (shown) => {
    await shown.page.getByRole("button", { name: "Reload preview" }).click();
    await shown.page.getByRole("dialog").waitFor();
  },
  "a conflict": async (shown) => {
    await shown.page.keyboard.press("Escape");
    const before = rig.instance.read("mgr.yaml");
    await shown.page.locator(".cm-content").click();
    await shown.page.keyboard.press("Control+Home");
    await shown.page.keyboard.type(" ");
    writeFileSync(rig.instance.config, `${before}\n`);
    await shown.page.keyboard.press("Control+s");
    await shown.page.getByRole("dialog").waitFor();
    writeFileSync(rig.instance.config, before);
  },
  "a comparison": async (shown) => {
    await shown.page
      .getByRole("dialog")
      .getByRole("button", { name: /^Compare/ })
      .click();
    await shown.page.locator(".cm-changedLine, .cm-insertedLine, .cm-deletedChunk").first().waitFor();
  },
  "the menu of a row": async (shown) => {
    await shown.go("/");
    const drawer = shown.page.getByRole("button", { name: "Processes", exact: true });
    if (await drawer.isVisible()) await drawer.click();
    await shown.row("tools/echo").click({ button: "right" });
    await shown.page.getByRole("menu", { name: "Actions of tools/echo" }).waitFor();
  },
  "open in new window": (shown) => shown.go("/?process=tools/echo&window=1"),
  "the network": async (shown) => {
    await makeUpNetwork(shown.page, 20);
    await shown.go("/?view=network");
    // A few rows: axe takes its time with many.
    await shown.page.getByLabel(/^Filter hosts/).fill("camera-1");
    await shown.page.locator(".row-name", { hasText: "camera-1 → arm-1" }).click();
  },
  "a graph of the network, and TCP connections": async (shown) => {
    await shown.page.getByRole("button", { name: "Graph", exact: true }).click();
    await shown.page.getByRole("button", { name: /^Open camera/ }).click();
    await shown.page.getByRole("button", { name: /^camera-2/ }).click();
    await shown.page.getByRole("button", { name: "TCP connections", exact: true }).click();
    await shown.page.locator(".tcp-list li").first().waitFor();
  },
};

const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true };
/** Rules of axe-core that the width of a desktop can matter for. */
const RULES_OF_LAYOUT = ["scrollable-region-focusable", "button-name", "link-name", "target-size"];

/** The theme that the next view is shown and judged in first: a change of it draws the whole page anew. */
let theme: "dark" | "light" = "dark";

/** What is around every view. */
const FRAME = ["header.top", "nav.sidebar", "nav.phone-nav", "footer.status"];

/** Parts of the frame that axe has examined in a test, by width, theme, rules and content: around most views they are the same. */
type Examined = Set<string>;
/** Names of rules of axe-core; undefined: all rules. */
type Rules = readonly string[] | undefined;

/** Selectors of those parts of the frame that were examined as they are now. The others count as examined from now on. */
async function examinedBefore(page: Page, rules: Rules, examined: Examined): Promise<string[]> {
  const contents = (await page.evaluate(`${JSON.stringify(FRAME)}.map((part) => document.querySelector(part)?.outerHTML)`)) as string[];
  return FRAME.filter((part, index) => {
    const now = `${page.viewportSize()?.width} ${theme} ${rules} ${part} ${contents[index]}`;
    if (examined.has(now)) return true;
    examined.add(now);
    return false;
  });
}

interface Judging {
  readonly examined: Examined;
  readonly isTouch?: boolean;
}

/** Faults of accessibility and layout of a view, in the theme and at the width that it is shown in. */
async function faultsOf(shown: ShownPage, rules: Rules, { examined, isTouch = false }: Judging): Promise<string[]> {
  const { page } = shown;
  const violations = await shown.violations(rules, await examinedBefore(page, rules, examined));
  const faults = (await page.evaluate(LAYOUT_FAULTS)) as string[];
  const touch = isTouch ? ((await page.evaluate(TOUCH_FAULTS)) as string[]) : [];
  return [...violations, ...faults, ...touch].map((fault) => `${theme}: ${fault}`);
}

/** Faults of a view in both themes; it stays in the second one. */
async function faultsInBothThemes(shown: ShownPage, judging: Judging): Promise<string[]> {
  await shown.turn(theme);
  const found = await faultsOf(shown, undefined, judging);
  theme = theme === "dark" ? "light" : "dark";
  await shown.turn(theme);
  found.push(...(await faultsOf(shown, RULES_OF_COLOURS, judging)));
  return found;
}

test("every view fits 1440 px in both themes and 1024 px, and has no serious accessibility violation", async () => {
  const shown = await rig.open("/", { reducedMotion: "reduce" });
  const found: string[] = [];
  const examined: Examined = new Set();
  for (const [name, get] of Object.entries(VIEWS)) {
    await shown.page.setViewportSize({ width: 1440, height: 800 });
    await get(shown);
    for (const fault of await faultsInBothThemes(shown, { examined })) found.push(`${name} at 1440 px, ${fault}`);
    await shown.page.setViewportSize({ width: 1024, height: 800 });
    await shown.drawn();
    for (const fault of await faultsOf(shown, RULES_OF_LAYOUT, { examined })) found.push(`${name} at 1024 px, ${fault}`);
  }
  expect(found).toEqual([]);
  await shown.close();
}, 900_000);

const PHONE_VIEWS: typeof VIEWS = {
  ...VIEWS,
  "the tree": async (shown) => {
    await shown.go("/");
    await shown.page.getByRole("button", { name: "Processes", exact: true }).tap();
    await shown.row("tools/echo").waitFor();
  },
  "the other views": async (shown) => {
    await shown.go("/");
    await shown.page.getByRole("button", { name: "More", exact: true }).tap();
    await shown.page.getByRole("dialog", { name: "More" }).waitFor();
  },
};

test("every view fits a phone of 390 px in both themes, can be touched, and has no serious accessibility violation", async () => {
  const shown = await rig.open("/", { ...PHONE, reducedMotion: "reduce" });
  const found: string[] = [];
  const examined: Examined = new Set();
  for (const [name, get] of Object.entries(PHONE_VIEWS)) {
    await get(shown);
    for (const fault of await faultsInBothThemes(shown, { examined, isTouch: true })) found.push(`${name}: ${fault}`);
  }
  expect(found).toEqual([]);
  await shown.close();
}, 900_000);

test.each([1440, 1024, 390])("the login page fits %i px, and has no serious accessibility violation", async (width) => {
  const context = await rig.browser.newContext({ viewport: { width, height: 800 } });
  const page = await context.newPage();
  const shown = new ShownPage(page, rig.instance);
  await page.goto(rig.instance.url);
  await page.getByRole("button", { name: "Log in" }).waitFor();
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await shown.violations()).toEqual([]);
    expect(await page.evaluate(LAYOUT_FAULTS)).toEqual([]);
    expect(await page.evaluate(TOUCH_FAULTS)).toEqual([]);
  }
  await context.close();
});

test("the key bar types keys that a phone's keyboard lacks, Ctrl holds for the next key, and the keyboard keeps its place", async () => {
  const shown = await rig.open("/?process=tools/keys", PHONE);
  const { page } = shown;
  await shown.untilShown("tools/keys", /hello/);
  const key = (name: string) => page.getByRole("toolbar", { name: "Keys" }).getByRole("button", { name, exact: true });
  await key("Esc").tap();
  await shown.untilShown("tools/keys", /typed 1b\b/);
  await key("Up").tap();
  await shown.untilShown("tools/keys", /typed 1b 5b 41\b/);
  expect(await shown.hasFocus(".terminal-box")).toBe(false);
  await key("Ctrl").tap();
  await soon(() => key("Ctrl").getAttribute("aria-pressed")).toBe("true");
  await soon(() => shown.hasFocus(".terminal-box")).toBe(true);
  await page.keyboard.type("a");
  await shown.untilShown("tools/keys", /typed 01\b/);
  await soon(() => key("Ctrl").getAttribute("aria-pressed")).toBe("false");
  await key("Ctrl").tap();
  await key("Right").tap();
  await shown.untilShown("tools/keys", /typed 1b 5b 31 3b 35 43\b/);
  // Out of sight at first: the bar scrolls.
  await key("PgDn").tap();
  await shown.untilShown("tools/keys", /typed 1b 5b 36 7e\b/);
  expect(await shown.hasFocus(".terminal-box")).toBe(true);
  await shown.close();
});

test("while a phone's keyboard is open, the terminal uses the remaining room", async () => {
  const shown = await rig.open("/?process=tools/keys", PHONE);
  const { page } = shown;
  await shown.untilShown("tools/keys", /hello/);
  await page.getByLabel("Terminal of tools/keys").tap();
  await soon(() => shown.hasFocus(".terminal-box")).toBe(true);
  const nav = page.getByRole("navigation", { name: "Views" });
  await nav.waitFor();
  await page.setViewportSize({ width: 390, height: 440 });
  await nav.waitFor({ state: "hidden" });
  await page.getByRole("toolbar", { name: "Keys" }).waitFor();
  await page.setViewportSize({ width: 390, height: 780 });
  await nav.waitFor();
  await shown.close();
});

test("the page reported no error", () => {
  expect(rig.complaints).toEqual([]);
});
