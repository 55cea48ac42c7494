import { chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";
import { ECHO, sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

let rig: PageRig;
let client: Client;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  rig = await PageRig.up({
    groups: { sim: { opened: true }, tools: { opened: false } },
    processes: {
      "sim/one": { command: ECHO, autostart: true },
      "sim/two": { command: ECHO, autostart: true },
      "sim/three": { command: ECHO, autostart: true },
      "sim/four": { command: ECHO, autostart: true },
      "tools/loop": { command: sh("exit 7"), autostart: true, restart: { policy: "on-failure", delay: "1h" } },
    },
  });
  ({ client } = rig);
  await rig.untilState("tools/loop", "backoff");
  shown = await rig.open();
  ({ page } = shown);
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const panes = () => page.locator(".pane").count();
const title = () => page.locator(".pane.focused .tab.active, .pane:only-child .tab.active").locator(".tab-title").first().textContent();

describe("the layout of panes", () => {
  test("a group is laid out in a grid of panes, each with a terminal that takes what is typed", async () => {
    await shown.goTo("sim", "group");
    await shown.run("Show the group's processes in a grid");
    await soon(panes).toBe(4);
    for (const name of ["one", "two", "three", "four"]) await shown.untilShown(`sim/${name}`, /hello/);
    const boxes = await Promise.all((await page.locator(".pane").all()).map((pane) => pane.boundingBox()));
    expect(new Set(boxes.map((box) => `${box?.x},${box?.y}`)).size).toBe(4);
    expect(new Set(boxes.map((box) => box?.x)).size).toBe(2);
    await page.getByLabel("Terminal of sim/three").click();
    await page.keyboard.type("here\n");
    await shown.untilShown("sim/three", /you typed here/);
    expect(await shown.textOf("sim/two")).not.toMatch(/here/);
  });

  test("a reload restores everything: panes, their sizes, folded groups, the width of the tree, the details", async () => {
    const divider = page.getByRole("separator", { name: "Pane size" }).first();
    const before = Number(await divider.getAttribute("aria-valuenow"));
    await divider.press("ArrowRight");
    await divider.press("ArrowRight");
    await soon(() => divider.getAttribute("aria-valuenow")).not.toBe(String(before));
    const moved = await divider.getAttribute("aria-valuenow");
    const edge = page.getByRole("separator", { name: "Sidebar width" });
    await edge.press("ArrowRight");
    const width = await edge.getAttribute("aria-valuenow");
    await shown.row("tools").press("ArrowRight");
    await shown.row("tools/loop").waitFor();
    await page.reload();
    await shown.connected();
    await soon(panes).toBe(4);
    await soon(() => divider.getAttribute("aria-valuenow")).toBe(moved);
    await soon(() => edge.getAttribute("aria-valuenow")).toBe(width);
    await shown.row("tools/loop").waitFor();
    await shown.untilShown("sim/three", /you typed here/);
  });

  test("a tab is dragged to another pane, and a pane without tabs is removed", async () => {
    const tabs = (index: number) => page.locator(".pane").nth(index).getByRole("tab");
    await tabs(0).first().dragTo(page.locator(".pane").nth(1).locator(".pane-body"));
    await soon(panes).toBe(3);
    await soon(() => page.getByRole("tab", { name: "one" }).count()).toBe(1);
  });

  test("keys that switch tabs are never typed into a process that is opened", async () => {
    await shown.run("Close all other tabs and panes");
    for (const name of ["sim/one", "sim/two", "sim/three"]) await shown.row(name).dblclick();
    await shown.untilShown("sim/three", /hello/);
    await page.keyboard.press("Control+Shift+L");
    for (const [key, name] of [
      ["1", "one"],
      ["]", "two"],
      ["]", "three"],
      ["[", "two"],
    ] as const) {
      await page.keyboard.press(key);
      await soon(title).toBe(name);
      await shown.untilShown(`sim/${name}`, /hello/);
    }
    await page.getByRole("tab", { name: "two" }).focus();
    await page.keyboard.press("ArrowRight");
    await shown.untilShown("sim/three", /hello/);
    await page.keyboard.press("ArrowLeft");
    await soon(title).toBe("two");
    await shown.untilShown("sim/two", /hello/);
    for (const name of ["one", "two"]) {
      const { output } = await client.ask({ type: "get_process_output", name: `sim/${name}` });
      expect(output).not.toMatch(/[[\]1]/);
    }
  });

  test("a key right after the opening of a process decides where the focus is, also before it is painted", async () => {
    await page.keyboard.press("Control+Shift+L");
    // Both in one task, which no frame comes between.
    await page.evaluate(`(async () => {
      const press = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      press(document.querySelector('[role=treeitem][data-name="sim/four"]'), "Enter");
      while (document.querySelector(".process h1")?.title !== "sim/four") await null;
      press(document.activeElement, "/");
    })()`);
    await shown.untilShown("sim/four", /hello/);
    expect(await shown.hasFocus("#filter")).toBe(true);
    await page.keyboard.press("Control+Shift+L");
  });
});

describe("windows of their own", () => {
  test("a group, with its table and its terminals", async () => {
    await shown.goTo("sim", "group");
    const [window] = await Promise.all([page.context().waitForEvent("page"), page.keyboard.press("p")]);
    await window.getByText("4 of 4 running").waitFor();
    await window.getByRole("button", { name: "Show as terminals" }).click();
    await eventually("all four terminals are live", async () => (await window.locator(".xterm-rows").count()) === 4);
    await eventually("they have their output", async () =>
      (await window.locator(".xterm-rows").allTextContents()).every((text) => /hello/.test(text)),
    );
    await window.getByRole("button", { name: "Show as table" }).click();
    await window.close();
  });

  test("a process, whose terminal is entered and left by the keyboard, with settings within reach", async () => {
    const window = await rig.open("/?process=sim/one&window=1");
    await window.untilShown("sim/one", /hello/);
    expect(await window.hasFocus(".terminal-box")).toBe(false);
    await window.page.keyboard.press("Enter");
    await eventually("the terminal has the keyboard", () => window.hasFocus(".terminal-box"));
    await window.page.keyboard.press("Control+Shift+L");
    await soon(() => window.hasFocus(".bar")).toBe(true);
    await window.page.keyboard.press(",");
    await window.page.getByRole("radio", { name: "announce terminal output" }).check();
    await window.page.locator(".xterm-accessibility [role=list]").waitFor({ state: "attached" });
    await window.page.getByRole("radio", { name: "off" }).check();
    await window.page.keyboard.press("Escape");
    await soon(() => window.hasFocus(".bar")).toBe(true);
    await window.close();
  });

  test.each([
    ["/?process=no/such", "There is no process “no/such”."],
    ["/?group=nothing", "There is no group “nothing”."],
  ])("an address of an unknown object reports that: %s", async (path, text) => {
    const other = await rig.open(path);
    await other.page.getByText(text).waitFor();
    await other.close();
  });
});

describe("a process", () => {
  test("that will be restarted counts down, and starts at once on request", async () => {
    await shown.goTo("tools/loop");
    const why = page.getByText(/restarts in/);
    const first = await why.textContent();
    expect(first).toMatch(/Exit code 7; restarts in (5\dm|1h 0m)/);
    await soon(() => why.textContent()).not.toBe(first);
    const from = client.here;
    await page.getByRole("button", { name: "Restart", exact: true }).click();
    await client.untilState("tools/loop", "starting", from);
    await client.untilState("tools/loop", "backoff", from);
    await soon(() => page.locator(".facts").textContent()).toMatch(/restart|^$/);
  });

  test("has the command that starts it by hand to copy, and links to its dependencies", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await shown.goTo("sim/one");
    await page.getByRole("button", { name: "Details d" }).click();
    // By keyboard: the sections above grow when the details arrive, so that a button may move away from a pointer.
    await page.getByRole("button", { name: "Show commands" }).press("Enter");
    await page.getByRole("button", { name: "Copy the commands" }).press("Enter");
    await shown.untilNoticed(/^Copied the commands\./m);
    await soon(() => page.evaluate("navigator.clipboard.readText()")).toMatch(/^cd .*\n[\s\S]*echo hello/);
    await page.getByRole("button", { name: "Details d" }).click();
  });

  test("that is started by a focused button leaves the focus there", async () => {
    await client.command({ type: "stop_process", name: "sim/four" });
    await shown.goTo("sim/four");
    await page.getByRole("button", { name: "Start", exact: true }).press("Enter");
    await page.getByRole("button", { name: "Restart", exact: true }).waitFor();
    // A frame later the browser would have taken the keyboard away from a button that is another one, or disabled.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(await shown.hasFocus("button.verb.restart")).toBe(true);
  });

  test("whose search is requested while it is open focuses the search", async () => {
    const search = page.getByLabel("Search the terminal");
    await shown.goTo("sim/one");
    for (const text of ["first", "second"]) {
      await page.getByLabel("Terminal of sim/one").click();
      await page.keyboard.press("Control+Shift+F");
      await page.keyboard.type(text);
      await soon(() => search.inputValue()).toBe(text);
    }
    await search.press("Escape");
  });

  test("many pasted lines are not typed if the paste is cancelled", async () => {
    await page.getByLabel("Terminal of sim/one").click();
    await shown.paste("unwanted\nlines\n");
    await page.getByRole("dialog", { name: "Paste 2 lines?" }).waitFor();
    await page.keyboard.press("Escape");
    await eventually("the terminal has the keyboard", () => shown.hasFocus(".terminal-box"));
    await page.keyboard.type("after\n");
    await shown.untilShown("sim/one", /you typed after/);
    expect(await shown.textOf("sim/one")).not.toMatch(/unwanted/);
  });

  test("errors are announced at once, results after a pause", async () => {
    const toasts = page.locator(".toasts");
    await soon(() => toasts.getAttribute("aria-live")).toBe("polite");
    expect(await toasts.getAttribute("role")).toBe("status");
    await page.route("**/mgr/logout", (route) => route.fulfill({ status: 503, body: "not now" }));
    await shown.run("Log out");
    await toasts.getByRole("alert").getByText("not now").waitFor();
    await page.getByRole("button", { name: "Dismiss" }).last().click();
  });
});

test("where there is WebGL the terminal draws with it, and with the page's own text once it is lost", async () => {
  // In software, as this machine has no graphics card; every other browser of the tests has no WebGL at all.
  const args = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args });
  try {
    const { login, url } = rig.instance;
    const context = await browser.newContext({ extraHTTPHeaders: login });
    const own = await context.newPage();
    await own.goto(new URL("/?process=sim/one", url).href);
    const canvas = own.locator(".xterm-screen canvas:not(.xterm-link-layer)");
    await canvas.first().waitFor();
    await own.evaluate(`for (const canvas of document.querySelectorAll(".xterm-screen canvas"))
      canvas.getContext("webgl2")?.getExtension("WEBGL_lose_context")?.loseContext()`);
    await eventually("the text is the page's own", async () => /hello/.test((await own.locator(".xterm-rows").textContent()) ?? ""));
    await own.locator(".terminal-box").click();
    await own.keyboard.type("still\n");
    await eventually("it goes on", async () => /you typed still/.test((await own.locator(".xterm-rows").textContent()) ?? ""));
  } finally {
    await browser.close();
  }
});

test("the page reported no error", () => {
  expect(rig.complaints.filter((text) => !/503/.test(text))).toEqual([]);
});
