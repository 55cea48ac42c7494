import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import type { Instance } from "../support/instance.ts";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";
import { ECHO, EXIT_AS_TYPED, READY_WHEN_TYPED, sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

/** Says its size whenever that changes. */
const SIZE = sh(`trap 'echo size $(stty size)' WINCH; echo hello; while :; do read line || true; done`);

let rig: PageRig;
let instance: Instance;
let client: Client;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`many/p${String(index).padStart(3, "0")}`, { command: "true" }]),
  );
  rig = await PageRig.up({
    groups: { many: { opened: true }, sim: { opened: true }, tools: { opened: true } },
    processes: {
      "sim/gate": { command: READY_WHEN_TYPED, ready: { regex: "listening" } },
      "sim/after": { command: ECHO, depends_on: { "sim/gate": { condition: "ready" } } },
      "tools/echo": { command: ECHO, alternate_commands: { other: "sleep 1000" }, autostart: true },
      "tools/vim": { command: sh("exec vi -u NONE notes.txt"), environment: { TERM: "xterm-256color" } },
      "tools/long": { command: sh("seq -f 'line %g' 30 > long.txt; exec vi -u NONE long.txt"), environment: { TERM: "xterm-256color" } },
      "tools/brief": { command: EXIT_AS_TYPED, autostart: true },
      "tools/size": { command: SIZE, autostart: true },
      "tools/lines": { command: sh("seq 1 3000; echo see http://localhost:9/there; read x"), autostart: true },
      ...many,
    },
  });
  ({ instance, client } = rig);
  shown = await rig.open();
  ({ page } = shown);
});
afterAll(() => rig?.[Symbol.asyncDispose]());

describe("finding and starting processes", () => {
  test("the filter finds a process by name, and Enter opens it", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("p217");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "many/p217" }).waitFor();
    await soon(() => new URL(page.url()).searchParams.get("process")).toBe("many/p217");
    await page.getByLabel(/^Filter processes/).fill("");
  });

  test("of hundreds of processes only those in view are drawn", async () => {
    expect(await page.locator("[role=treeitem]").count()).toBeLessThan(80);
  });

  test("the palette starts a process that is named in part", async () => {
    await page.keyboard.press("Control+Shift+K");
    await page.keyboard.type("start sim aft");
    await page.getByRole("option", { name: "Start sim/after", exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await client.untilState("sim/gate", "started");
    await client.untilState("sim/after", "waiting");
  });

  test("a group shows its progress and its missing dependencies", async () => {
    await shown.goTo("sim", "group");
    await page.getByText(/0 of 2; waiting for .*after \(for sim\/gate\)/).waitFor();
    await client.command({ type: "send_stdin", name: "sim/gate", text: "go\n" });
    await page.getByText("2 of 2 running").waitFor();
    await page.getByRole("button", { name: "Show as terminals" }).click();
    await shown.untilShown("sim/gate", /listening/);
    await shown.untilShown("sim/after", /hello/);
    await page.getByRole("button", { name: "Show as table" }).click();
  });

  test("all processes are listed in one table, which is sorted by a click", async () => {
    await shown.run("All processes");
    const first = page.locator(".members tbody .member").first();
    await soon(() => first.textContent()).toBe("sim/gate");
    await page.getByRole("button", { name: "Process", exact: true }).click();
    await soon(() => first.textContent()).toBe("many/p000");
    await page.getByRole("button", { name: "Process", exact: true }).click();
    await soon(() => first.textContent()).toBe("tools/vim");
    await page.getByRole("button", { name: "Process", exact: true }).click();
    await soon(() => new URL(page.url()).search).toBe("?view=all");
    // By no pointer, which would take the focus along: as when a state changes.
    await first.focus();
    const sort = () => page.evaluate(`document.querySelector(".members .of-name button").click()`);
    await sort();
    await soon(() => first.textContent()).not.toBe("sim/gate");
    await soon(() => page.evaluate("document.activeElement?.textContent")).toBe("sim/gate");
    for (const _ of ["turned", "as configured"]) await sort();
    await soon(() => page.evaluate("document.activeElement?.textContent")).toBe("sim/gate");
  });

  test("the processes that match the filter are started and stopped together", async () => {
    await page.getByLabel(/^Filter processes/).fill("many p00");
    await shown.run("Start all 10 filtered processes");
    await page.getByRole("button", { name: "Start 10 processes" }).click();
    await client.untilState("many/p009", "stopped");
    await page.getByLabel(/^Filter processes/).fill("");
  });
});

describe("a process", () => {
  test("a full-screen editor takes what is typed, and writes it", async () => {
    await client.command({ type: "start_process", name: "tools/vim" });
    await shown.goTo("tools/vim");
    await shown.untilShown("tools/vim", /~/);
    await page.getByLabel("Terminal of tools/vim").click();
    await page.keyboard.type("iwritten in the browser");
    await page.keyboard.press("Escape");
    // A viewer who comes later sees the same screen, drawn for the size of that window.
    const other = await rig.open("/?process=tools/vim", { viewport: { width: 900, height: 500 } });
    await other.untilShown("tools/vim", /^written in the browser\s*~/);
    await other.close();
    await page.keyboard.type(":wq\n");
    await client.untilState("tools/vim", "stopped");
    expect(instance.read("notes.txt")).toBe("written in the browser\n");
  });

  test("a full-screen program that drew with margins for a smaller window is drawn in whole in a larger one", async () => {
    await client.command({ type: "start_process", name: "tools/long" });
    await eventually("it has drawn for 24 rows", async () =>
      /line 23/.test(String((await client.ask({ type: "get_process_output", name: "tools/long" })).output)),
    );
    await shown.goTo("tools/long");
    const lines = async () => (await page.locator(".xterm-rows > div").allTextContents()).map((line) => line.trim());
    await soon(async () => (await lines()).slice(0, 30)).toEqual(Array.from({ length: 30 }, (_, index) => `line ${index + 1}`));
    await client.command({ type: "stop_process", name: "tools/long" });
  });

  test("has the real size of its terminal, whole rows only, also after a split", async () => {
    await shown.goTo("tools/size");
    await shown.untilShown("tools/size", /size \d+ \d+/);
    const size = async () =>
      /(\d+)×(\d+)/
        .exec((await page.locator(".terminal-tools .size").textContent()) ?? "")
        ?.slice(1)
        .map(Number) ?? [];
    const [columns = 0, rows = 0] = await size();
    await shown.untilShown("tools/size", new RegExp(`size ${rows} ${columns}\\s*$`));
    const [box, screen] = await Promise.all([page.locator(".terminal-box").boundingBox(), page.locator(".xterm-screen").boundingBox()]);
    expect((screen?.y ?? 0) + (screen?.height ?? 0)).toBeLessThanOrEqual((box?.y ?? 0) + (box?.height ?? 0));
    await page.keyboard.press("Control+Shift+L");
    await shown.choose("More actions of the pane", "Split right");
    await eventually("the terminal is narrower", async () => ((await size())[0] ?? columns) < columns);
    await shown.untilShown("tools/size", new RegExp(`size ${rows} ${(await size())[0]}\\s*$`));
    await page.keyboard.press("w");
    await soon(() => page.locator(".pane").count()).toBe(1);
  });

  test("its output is searched, copied, scrolled back, paused, cleared and downloaded", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await shown.goTo("tools/lines");
    await shown.untilShown("tools/lines", /2999\s*3000/);
    await page.getByLabel("Terminal of tools/lines").click();
    await page.keyboard.press("Control+Shift+F");
    await eventually("the search has the keyboard", () =>
      page.evaluate(`document.activeElement?.getAttribute("aria-label") === "Search the terminal"`),
    );
    await page.keyboard.type("1234");
    await shown.untilShown("tools/lines", /1234/);
    await page.keyboard.type(" never said");
    await page.getByText("No matches").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Scroll to bottom" }).click();
    await shown.untilShown("tools/lines", /2999\s*3000/);
    await shown.choose("More actions of the terminal", "Copy selection or all output");
    await soon(() => page.evaluate("navigator.clipboard.readText()")).toMatch(/^1\n2\n3\n[\s\S]*\n3000\n/);
    await page.getByRole("button", { name: "Pause output" }).click();
    await client.command({ type: "send_stdin", name: "tools/lines", text: "heard" });
    await eventually("it was said", async () =>
      /heard/.test(String((await client.ask({ type: "get_process_output", name: "tools/lines" })).output)),
    );
    expect(await shown.textOf("tools/lines")).not.toMatch(/heard/);
    await page.getByRole("button", { name: "Paused, resume" }).click();
    await shown.untilShown("tools/lines", /heard/);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      shown.choose("More actions of the terminal", "Download the output"),
    ]);
    const file = await download.path();
    expect(readFileSync(file, "utf8")).toMatch(/^1\r?\n2\r?\n[\s\S]*there/);
    await shown.choose("More actions of the terminal", "Clear terminal");
    await eventually("it is cleared", async () => !/2999/.test(await shown.textOf("tools/lines")));
  });

  test("a link in its output opens in another tab", async () => {
    await page.reload();
    await shown.untilShown("tools/lines", /there/);
    const line = await page.locator(".xterm-rows > div", { hasText: "see http" }).boundingBox();
    if (!line) throw new Error("the line is not to be seen");
    const pages = page.context().pages().length;
    // The terminal looks for a link under the pointer when it moves, and forgets it when it draws again: then a click does nothing.
    let step = 0;
    const others = () => page.context().pages().slice(pages);
    await eventually("the link was followed", async () => {
      await page.mouse.move(line.x + 70 + (step++ % 2), line.y + line.height / 2);
      if (others().length > 0) return true;
      if ((await page.locator(".xterm-cursor-pointer").count()) > 0) await page.mouse.click(line.x + 70, line.y + line.height / 2);
      return false;
    });
    for (const other of others()) await other.close();
  });

  test("its font size is changed and kept", async () => {
    const height = async () => (await page.locator(".xterm-rows > div").first().boundingBox())?.height ?? 0;
    const before = await height();
    await shown.run("Larger terminal text");
    await eventually("the text is larger", async () => (await height()) > before);
    await page.reload();
    await eventually("it is still larger", async () => (await height()) > before);
    await shown.run("Reset terminal text size");
  });

  test("screen readers have the lines as a list, when it is turned on", async () => {
    await shown.run("Terminal screen reader mode: turn on");
    await page.locator(".xterm-accessibility [role=list]").waitFor({ state: "attached" });
    await shown.run("Terminal screen reader mode: turn off");
  });

  test("several pasted lines are shown before they are typed", async () => {
    await shown.goTo("tools/echo");
    await shown.untilShown("tools/echo", /hello/);
    await shown.paste("one\ntwo\n");
    await page.getByRole("dialog", { name: "Paste 2 lines?" }).waitFor();
    // Enter says yes.
    await page.keyboard.press("Enter");
    await shown.untilShown("tools/echo", /you typed two/);
  });

  test("shows in the first screen why it failed, also in the title and the status bar", async () => {
    await client.command({ type: "send_stdin", name: "tools/brief", text: "7\n" });
    await shown.goTo("tools/brief");
    await page.getByText("Failed: exit code 7").waitFor();
    await page.getByText("1 failed").waitFor();
    await eventually("the title says it", async () => (await page.title()).startsWith("(1 failed)"));
    await shown.run("Next failed process");
    await page.getByRole("heading", { name: "tools/brief" }).waitFor();
  });

  test("its command is overridden in the details, and reset", async () => {
    await shown.goTo("tools/echo");
    await page.getByRole("button", { name: "Details d" }).click();
    await page.getByLabel("Command of default").fill("sleep 1001");
    await page.getByRole("button", { name: "Override" }).click();
    await page.getByText("overridden", { exact: true }).waitFor();
    expect((await client.process("tools/echo")).command_override).toBe("sleep 1001");
    await page.getByRole("button", { name: "Reset to configured command" }).click();
    await eventually("no override is left", async () => (await client.process("tools/echo")).command_override === null);
    await page.getByRole("radio", { name: "other" }).check();
    await eventually(
      "the other command is selected",
      async () => (await client.process("tools/echo")).current_alternate_command === "other",
    );
    await page.getByRole("button", { name: "Show commands" }).press("Enter");
    await page.getByText(/^cd .*sleep 1000/s).waitFor();
    await page.getByRole("button", { name: "Details d" }).click();
  });
});

describe("windows", () => {
  test("two processes are shown side by side, and a reload of the page brings both back", async () => {
    await shown.choose("More actions of the pane", "Split right");
    await shown.goTo("sim/after");
    await shown.untilShown("sim/after", /hello/);
    await shown.untilShown("tools/echo", /hello/);
    await page.reload();
    await shown.untilShown("sim/after", /hello/);
    await shown.untilShown("tools/echo", /hello/);
    // On a small screen, too, no button leaves its pane.
    await page.setViewportSize({ width: 1024, height: 768 });
    const over = `[...document.querySelectorAll(".pane")].flatMap((pane) => [...pane.querySelectorAll(".bar *")].filter((one) => {
      const { left, right, width } = one.getBoundingClientRect();
      const of = pane.getBoundingClientRect();
      return width > 0 && (left < of.left || right > of.right);
    }).map((one) => one.outerHTML))`;
    await soon(() => page.evaluate(over)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Close after w" }).click();
    await soon(() => page.locator(".pane").count()).toBe(1);
  });

  test.each([
    ["?process=sim/after", "heading", "sim/after"],
    ["?group=sim", "heading", "sim"],
    ["?view=all", "heading", "All processes"],
    ["?view=log", "heading", "Log"],
    ["?view=config", "heading", "Configuration"],
  ] as const)("the address %s leads to its view", async (path, role, name) => {
    await shown.go(`/${path}`);
    await page.getByRole(role, { name, exact: true }).waitFor();
    await soon(() => new URL(page.url()).search).toBe(path);
  });

  test("a process opens in a window that knows it alone, and requests nothing else", async () => {
    await shown.goTo("sim/after");
    const from = client.here;
    const opened = page.context().waitForEvent("page");
    await shown.choose("More actions of the pane", "Open in new window");
    const window = await opened;
    await window.getByText("connected", { exact: true }).waitFor();
    await eventually("it has the output", async () => /hello/.test((await window.locator(".xterm-rows").textContent()) ?? ""));
    expect(await window.locator("[role=tree]").count()).toBe(0);
    expect(client.logged(from).filter((message) => /is refused/.test(message))).toEqual([]);
    await window.close();
  });

  test("a phone shows one view at a time, and nothing overflows", async () => {
    const phone = await rig.open("/?process=sim/after", { viewport: { width: 375, height: 720 }, isMobile: true, hasTouch: true });
    await phone.page.locator(".xterm-rows").waitFor();
    for (const path of ["/", "/?process=sim/after", "/?group=sim", "/?view=all", "/?view=log", "/?view=config"]) {
      await phone.goInPage(path);
      expect(await phone.page.evaluate("document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(375);
    }
    await phone.page.getByRole("button", { name: "Processes", exact: true }).click();
    await phone.row("tools/echo").click();
    await phone.page.getByRole("heading", { name: "echo" }).waitFor();
    await phone.close();
  });

  test("a phone in landscape has the views at its left edge, and room for the terminal", async () => {
    const phone = await rig.open("/?process=sim/after", { viewport: { width: 844, height: 390 }, isMobile: true, hasTouch: true });
    await phone.page.locator(".xterm-rows").waitFor();
    const box = async (selector: string) => (await phone.page.locator(selector).boundingBox()) ?? { x: -1, width: 0, height: 0 };
    const nav = await box(".phone-nav");
    expect([nav.x, nav.height]).toEqual([0, 390]);
    // 16 lines and more: header and status give way to it.
    expect((await box(".terminal-box")).height).toBeGreaterThan(240);
    expect(await phone.page.locator(".process .bar").evaluate((bar) => bar.getBoundingClientRect().top)).toBe(0);
    for (const path of ["/", "/?process=sim/after", "/?group=sim", "/?view=all", "/?view=log", "/?view=config"]) {
      await phone.goInPage(path);
      expect(await phone.page.evaluate("document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(844);
    }
    await phone.close();
  });

  test("a page in the browser's back-forward cache holds no terminal's size, and reconnects when the user returns", async () => {
    const left = await rig.open("/?process=tools/echo", { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });
    const other = await rig.open("/?process=tools/echo");
    const fit = other.page.getByRole("button", { name: /fit to window/ });
    await fit.waitFor();
    const event = (name: string) => `dispatchEvent(new PageTransitionEvent("${name}", { persisted: true }))`;
    await left.page.evaluate(event("pagehide"));
    await fit.waitFor({ state: "detached" });
    await left.page.evaluate(event("pageshow"));
    await left.page.getByText("connected", { exact: true }).waitFor();
    await left.close();
    await other.close();
  });

  test("on a phone, what needs attention is above the hosts, which stay visible in landscape", async () => {
    for (const viewport of [
      { width: 390, height: 780 },
      { width: 844, height: 390 },
    ]) {
      const phone = await rig.open("/", { viewport, isMobile: true, hasTouch: true });
      const top = async (selector: string) => (await phone.page.locator(selector).boundingBox())?.y ?? -1;
      await phone.page.locator(".hosts-panel").waitFor();
      expect(await top(".overview-main")).toBeLessThan(await top(".hosts-panel"));
      if (viewport.height > viewport.width) expect(await top(".hosts-panel")).toBeLessThan(780 - 57);
      await phone.close();
    }
  });
});

test("the page reported no error", () => {
  expect(rig.complaints).toEqual([]);
});
