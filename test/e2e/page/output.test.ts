import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";
import { sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

let rig: PageRig;
let shown: ShownPage;
let page: Page;

const NUMBERS = sh("seq -f 'number %.0f' 1 9000; exec cat");

beforeAll(async () => {
  rig = await PageRig.up({
    groups: { app: { opened: true } },
    processes: {
      "app/numbers": { command: NUMBERS, autostart: true },
      "app/echo": { command: sh("stty -echo; echo begun; exec cat"), autostart: true },
      "app/silent": { command: sh("exec cat"), autostart: true },
      old: { command: "true", log_file: "old.log" },
    },
  });
  const lines = Array.from({ length: 2_000 }, (_, index) => `old line ${index}, number ${index}`);
  writeFileSync(join(rig.instance.dir, "old.log"), `${lines.join("\n")}\n`);
  // A search finds what was printed by then.
  const said = async (name: string) => String((await rig.client.ask({ type: "get_process_output", name })).output);
  await eventually("it has counted", async () => (await said("app/numbers")).endsWith("number 9000\r\n"));
  await eventually("it has begun", async () => (await said("app/echo")).endsWith("begun\r\n"));
  shown = await rig.open("/");
  ({ page } = shown);
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const items = () => page.getByRole("tree", { name: "Hits" }).getByRole("treeitem");

describe("the search of all output", () => {
  test("is opened by a key, shows hits by process, and opens the terminal at one of them", async () => {
    await page.keyboard.press("Control+Shift+F");
    await page.keyboard.type("number 234");
    await page.keyboard.press("Enter");
    await page.getByText("12 hits in 2 processes").waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toBe("number 234");
    expect(await shown.violations()).toEqual([]);
    await page.getByLabel("Processes: names").fill("app");
    await page.keyboard.press("Enter");
    await page.getByText("11 hits in 1 process ").waitFor();
    await soon(() => items().allTextContents()).toHaveLength(12);
    await page.keyboard.press("ArrowDown");
    await soon(() => shown.hasFocus("[role=treeitem][aria-level='1']")).toBe(true);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await shown.untilShown("app/numbers", /number 233\s*number 234\s*number 235/);
    // The search is still there.
    await page.goBack();
    await page.getByText("11 hits in 1 process ").waitFor();
  });

  test("takes what is typed while its code is still loading", async () => {
    const other = await rig.open("/");
    let load = () => {};
    const isLoaded = new Promise<void>((resolve) => {
      load = resolve;
    });
    await other.page.route(/search-view-.*\.js/, async (route) => {
      await isLoaded;
      await route.continue();
    });
    const requested = other.page.waitForRequest(/search-view-.*\.js/);
    await other.page.getByRole("tree").first().waitFor();
    await other.page.keyboard.press("Control+Shift+F");
    await requested;
    await other.page.keyboard.type("number 8998");
    await other.page.keyboard.press("Backspace");
    await other.page.keyboard.type("9");
    await other.page.keyboard.press("Enter");
    load();
    await other.page.getByText("1 hit in 1 process ").waitFor();
    expect(await other.page.getByLabel("Search the output of processes").inputValue()).toBe("number 8999");
    await other.page.keyboard.type("9");
    await soon(() => other.page.getByLabel("Search the output of processes").inputValue()).toBe("number 89999");
    await other.page.context().close();
  });

  test("shows a line that is only in a file with the lines around it, and where it is", async () => {
    await shown.go("/?view=search&q=number%201234%24&regex=1&in=old");
    await page.getByText("1 hit in 1 process ").waitFor();
    await items().nth(1).click();
    await page.getByText(/old\.log, byte \d+, not in memory any more/).waitFor();
    await page.getByText("old line 1233, number 1233").waitFor();
    await soon(() => items().allTextContents()).toHaveLength(2 + 1 + 6 + 1 + 6);
    await items().nth(1).press("ArrowLeft");
    await soon(() => items().allTextContents()).toHaveLength(2);
  });

  test("says why an expression cannot be used", async () => {
    await shown.go("/?view=search&q=a(&regex=1");
    await page.getByRole("alert").getByText("missing closing").waitFor();
  });

  test("is opened from the search of a terminal with its text", async () => {
    await shown.go("/?process=app/numbers");
    await shown.untilShown("app/numbers", /number 9000/);
    await page.getByLabel("Terminal of app/numbers").click();
    await page.keyboard.press("Control+Shift+F");
    await page.keyboard.type("number 8999");
    await page.keyboard.press("Control+Shift+F");
    await page.getByText("1 hit in 1 process ").waitFor();
  });
});

describe("merged output", () => {
  const lines = () => page.getByRole("log", { name: "Lines" });
  const last = async () => (await page.locator(".merged-line").last().textContent()) ?? "";

  test("shows the lines of a group in the order of time, and what comes", async () => {
    await shown.goTo("app", "group");
    await page.getByRole("button", { name: "Output of the group in one view" }).click();
    await lines().getByText("number 9000").waitFor();
    await rig.client.command({ type: "send_stdin", name: "app/echo", text: "typed now\n" });
    await soon(last).toBe("echotyped now");
    expect(await shown.violations()).toEqual([]);
    await page.getByLabel("Times").selectOption("time of day");
    await soon(last).toMatch(/^\d\d:\d\d:\d\decho/);
    await soon(() => page.url()).toContain("times=clock");
  });

  test("is filtered, paused, and shows chosen processes", async () => {
    await page.getByLabel("Filter lines").fill("^TYPED|begun$");
    await page.getByRole("button", { name: "Regular expression" }).click();
    await page.getByText("2 of 2,0").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await rig.client.command({ type: "send_stdin", name: "app/echo", text: "typed later\n" });
    await rig.client.command({ type: "send_stdin", name: "app/silent", text: "typed elsewhere\n" });
    await page.getByText("· paused").waitFor();
    expect(await last()).toContain("typed now");
    await page.getByRole("button", { name: "Resume" }).click();
    await lines().getByText("typed later").waitFor();
    await page.getByRole("button", { name: "3 processes" }).click();
    await page.getByRole("button", { name: "Only app/silent" }).click();
    await soon(async () => (await lines().textContent()) ?? "").toMatch(/^(\S*silenttyped elsewhere)+$/);
    await page.keyboard.press("Escape");
    expect(new URL(page.url()).searchParams.getAll("only")).toEqual(["app/silent"]);
  });
});

test("the page reported no error", () => {
  expect(rig.complaints).toEqual([]);
});
