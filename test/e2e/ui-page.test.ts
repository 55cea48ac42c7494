import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "./support/client.ts";
import { launchBrowser } from "./support/demo.ts";
import { Instance } from "./support/instance.ts";
import { ECHO, EXIT_AS_TYPED, READY_WHEN_TYPED, sh } from "./support/shell.ts";
import { eventually } from "./support/wait.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let instance: Instance;
let client: Client;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

const row = (name: string) => page.locator(`[role=treeitem][data-name="${name}"]`);
const textOf = async (terminal: string) =>
  ((await page.getByLabel(`Terminal of ${terminal}`, { exact: true }).locator(".xterm-rows").textContent()) ?? "").replaceAll(
    "\u00a0",
    " ",
  );
const untilShown = (terminal: string, what: RegExp) =>
  eventually(`'${terminal}' shows ${what}`, async () => what.test(await textOf(terminal)));
const connected = () => page.getByText("connected", { exact: true }).waitFor();

async function openPage(path = "/", options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    ...options,
    httpCredentials: { username: instance.user, password: instance.password },
  });
  const opened = await context.newPage();
  opened.setDefaultTimeout(5_000);
  opened.on("pageerror", (error) => complaints.push(error.message));
  opened.on("console", (message) => {
    // The browser itself says so when the manager is killed; the page shows it in its own words.
    if (message.type() === "error" && !/ERR_CONNECTION_(REFUSED|RESET)|WebSocket connection/.test(message.text()))
      complaints.push(message.text());
  });
  await opened.goto(new URL(path, instance.url).href);
  return opened;
}

beforeAll(async () => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`many/p${String(index).padStart(3, "0")}`, { command: "true" }]),
  );
  instance = new Instance({
    groups: { many: { opened: true }, sim: { opened: true }, tools: { opened: true } },
    processes: {
      "sim/gate": { command: READY_WHEN_TYPED, ready: { regex: "listening" } },
      "sim/after": { command: ECHO, depends_on: { "sim/gate": { condition: "ready" } } },
      "tools/echo": { command: ECHO, alternate_commands: { other: "sleep 1000" }, autostart: true },
      "tools/vim": { command: sh("exec vi -u NONE notes.txt"), environment: { TERM: "xterm-256color" } },
      "tools/brief": { command: EXIT_AS_TYPED, autostart: true },
      ...many,
    },
  });
  await instance.mgr("up", "--detach");
  client = await instance.connect();
  browser = await launchBrowser();
  page = await openPage();
  await connected();
});
afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
});

describe("finding and doing", () => {
  test("the filter finds a process by name, and Enter opens it", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("p217");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "many/p217" }).waitFor();
    expect(new URL(page.url()).searchParams.get("process")).toBe("many/p217");
    await page.getByLabel(/^Filter processes/).fill("");
  });

  test("of hundreds of processes only those in sight are drawn", async () => {
    expect(await page.locator("[role=treeitem]").count()).toBeLessThan(60);
  });

  test("the palette starts a process that is named in part", async () => {
    await page.keyboard.press("Control+Shift+K");
    await page.keyboard.type("start sim aft");
    await page.getByRole("option", { name: "Start sim/after", exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await client.untilState("sim/gate", "started");
    await client.untilState("sim/after", "waiting");
  });

  test("a group tells its progress and what it waits for", async () => {
    await row("sim").click();
    await page.getByText(/0 of 2; waiting for .*after \(for sim\/gate\)/).waitFor();
    await client.command({ type: "send_stdin", name: "sim/gate", text: "go\n" });
    await page.getByText("2 of 2 running").waitFor();
    await page.getByRole("button", { name: "Members as live terminals" }).click();
    await untilShown("sim/gate", /listening/);
    await untilShown("sim/after", /hello/);
    await page.getByRole("button", { name: "Members as a table" }).click();
  });

  test("the sheet of keys opens by ? and closes by Escape", async () => {
    await row("sim").focus();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });
});

describe("a process", () => {
  test("a full-screen editor takes what is typed, and writes it", async () => {
    await client.command({ type: "start_process", name: "tools/vim" });
    await row("tools/vim").click();
    await untilShown("tools/vim", /~/);
    await page.getByLabel("Terminal of tools/vim").click();
    await page.keyboard.type("iwritten in the browser");
    await page.keyboard.press("Escape");
    await page.keyboard.type(":wq\n");
    await client.untilState("tools/vim", "stopped");
    expect(instance.read("notes.txt")).toBe("written in the browser\n");
  });

  test("several pasted lines are shown before they are typed", async () => {
    await row("tools/echo").click();
    await untilShown("tools/echo", /hello/);
    // As text: the tests are compiled without the browser's types.
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "one\\ntwo\\n");
      const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.querySelector(".xterm-helper-textarea").dispatchEvent(paste);
    }`);
    await page.getByRole("dialog", { name: "Paste 2 lines?" }).getByRole("button", { name: "Paste", exact: true }).click();
    await untilShown("tools/echo", /you typed two/);
  });

  test("its output is searched", async () => {
    await page.keyboard.press("Control+Shift+F");
    await page.keyboard.type("typed one");
    await page.keyboard.press("Enter");
    expect(await page.getByText("not found").count()).toBe(0);
    await page.keyboard.type(" never said");
    await page.getByText("not found").waitFor();
    await page.keyboard.press("Escape");
  });

  test("says at first sight why it failed", async () => {
    await client.command({ type: "send_stdin", name: "tools/brief", text: "7\n" });
    await row("tools/brief").click();
    await page.getByText("Failed: exit code 7").waitFor();
    await page.getByText("1 failed").waitFor();
  });

  test("its command is overridden in the details, and back", async () => {
    await row("tools/echo").click();
    await page.getByRole("button", { name: "Details d" }).click();
    await page.getByLabel("Command of default").fill("sleep 1001");
    await page.getByRole("button", { name: "Override" }).click();
    await page.getByText("overridden", { exact: true }).waitFor();
    expect((await client.process("tools/echo")).command_override).toBe("sleep 1001");
    await page.getByRole("button", { name: "Back to the configured one" }).click();
    await eventually("no override is left", async () => (await client.process("tools/echo")).command_override === null);
    await page.getByRole("radio", { name: "other" }).check();
    await eventually(
      "the other command is selected",
      async () => (await client.process("tools/echo")).current_alternate_command === "other",
    );
    await page.getByRole("button", { name: "Show the commands" }).click();
    await page.getByText(/^cd .*sleep 1000/s).waitFor();
    await page.getByRole("button", { name: "Details d" }).click();
  });
});

describe("windows", () => {
  test("two processes are shown side by side, and a reload of the page brings both back", async () => {
    await page.getByRole("button", { name: /^Split right/ }).click();
    await row("sim/after").click();
    await untilShown("sim/after", /hello/);
    await untilShown("tools/echo", /hello/);
    await page.reload();
    await untilShown("sim/after", /hello/);
    await untilShown("tools/echo", /hello/);
    await page.getByRole("button", { name: "Close after w" }).click();
    expect(await page.locator(".pane").count()).toBe(1);
  });

  test("a process pops out into a window that knows it alone", async () => {
    const opened = page.context().waitForEvent("page");
    await row("sim/after").click();
    await page
      .getByRole("button", { name: /^Open in a window of its own/ })
      .first()
      .click();
    const window = await opened;
    await window.getByText("connected", { exact: true }).waitFor();
    await eventually("it has the output", async () => /hello/.test((await window.locator(".xterm-rows").textContent()) ?? ""));
    expect(await window.locator("[role=tree]").count()).toBe(0);
    await window.close();
  });

  test("a phone shows one thing at a time, and nothing sticks out", async () => {
    const phone = await openPage("/?process=sim/after", { viewport: { width: 375, height: 720 }, isMobile: true, hasTouch: true });
    await phone.getByText("connected", { exact: true }).waitFor();
    await phone.locator(".xterm-rows").waitFor();
    expect(await phone.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(375);
    await phone.getByRole("button", { name: "Show the processes" }).click();
    await phone.locator('[role=treeitem][data-name="tools/echo"]').click();
    await phone.getByRole("heading", { name: "echo" }).waitFor();
    await phone.context().close();
  });
});

describe("the configuration", () => {
  test("is edited, checked, saved, previewed and reloaded", async () => {
    await page.getByRole("button", { name: "Configuration", exact: true }).click();
    const editor = page.getByLabel("Text of the configuration file");
    await editor.waitFor();
    const edit = async (from: string, to: string) => {
      await editor.click();
      await page.keyboard.press("Control+f");
      await page.getByPlaceholder("Find").fill(from);
      await page.getByPlaceholder("Replace").fill(to);
      await page.getByRole("button", { name: "replace all" }).click();
      await page.keyboard.press("Escape");
    };
    await edit('"tools/brief"', '"tools/renamed"');
    await edit('"autostart": true', '"autostrat": true');
    await page.getByRole("button", { name: "Save" }).click();
    await page
      .getByRole("list", { name: "Problems" })
      .getByText(/autostrat/)
      .first()
      .waitFor();
    expect(instance.read("mgr.yaml")).toContain("tools/brief");
    await edit('"autostrat": true', '"autostart": true');
    await page.getByRole("button", { name: "Reload …" }).click();
    const plan = page.getByRole("dialog", { name: "What a reload will change" });
    await plan.getByText("tools/renamed").waitFor();
    await plan.getByText("tools/brief").waitFor();
    await plan.getByRole("button", { name: "Reload", exact: true }).click();
    await row("tools/renamed").waitFor();
  });

  test("that was changed by somebody else meanwhile is not overwritten", async () => {
    const file = instance.read("mgr.yaml");
    writeFileSync(instance.config, file.replace("tools/renamed", "tools/theirs"));
    await page.getByLabel("Text of the configuration file").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type(" ");
    await page.getByRole("button", { name: "Save" }).click();
    await page
      .getByText(/changed by somebody else/)
      .first()
      .waitFor();
    expect(instance.read("mgr.yaml")).toContain("tools/theirs");
    writeFileSync(instance.config, file);
  });
});

describe("for everybody", () => {
  const VIEWS: readonly (readonly [string, string])[] = [
    ["overview", "/"],
    ["process", "/?process=sim/after"],
    ["group", "/?group=sim"],
    ["log", "/?view=log"],
    ["configuration", "/?view=config"],
  ];
  test.each(["dark", "light"] as const)("no view has a serious accessibility violation in the %s theme", async (colorScheme) => {
    const other = await openPage("/", { colorScheme });
    const found: string[] = [];
    for (const [name, path] of VIEWS) {
      await other.goto(new URL(path, instance.url).href);
      await other.getByText("connected", { exact: true }).waitFor();
      if (name === "process") {
        await other.locator(".xterm-rows").waitFor();
        if ((await other.locator(".details").count()) === 0) await other.getByRole("button", { name: "Details d" }).click();
      }
      if (name === "configuration") await other.locator(".cm-content").waitFor();
      // Typed in, not added as a script: the page's policy refuses scripts of others.
      await other.evaluate(AXE);
      const violations = await other.evaluate(async () => {
        const axe = (
          globalThis as unknown as {
            axe: { run(what: unknown): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
          }
        ).axe;
        // The terminal's own inner elements are xterm.js's; its text is held to the contrast by minimumContrastRatio.
        return (await axe.run({ exclude: [[".xterm"]] })).violations.map(({ id, impact, nodes }) => ({
          id,
          impact,
          html: nodes[0]?.html ?? "",
        }));
      });
      for (const { id, impact, html } of violations) {
        if (impact === "serious" || impact === "critical") found.push(`${name}: ${id}: ${html.slice(0, 160)}`);
      }
    }
    expect(found).toEqual([]);
    await other.context().close();
  });
});

describe("a manager that is killed", () => {
  test("is shown as lost, and everything is back when it is", async () => {
    await row("sim/after").click();
    await untilShown("sim/after", /hello/);
    instance.kill("manager");
    await page.getByText(/connection lost, trying again/).waitFor();
    expect(await textOf("sim/after")).toMatch(/hello/);
    const port = new URL(page.url()).port;
    const configuration = JSON.parse(instance.read("mgr.yaml")) as { instance: Record<string, unknown> };
    configuration.instance.manager = `localhost:${port}`;
    writeFileSync(instance.config, JSON.stringify(configuration));
    await instance.mgr("up", "--detach");
    await connected();
    await page.getByLabel("Terminal of sim/after").click();
    await page.keyboard.type("again\n");
    await untilShown("sim/after", /you typed again/);
  });

  test("nothing of all this made the page complain", () => {
    expect(complaints).toEqual([]);
  });
});
