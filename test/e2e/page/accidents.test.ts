import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";
import { ECHO, EXIT_AS_TYPED, IGNORES_TERM } from "../support/shell.ts";

let rig: PageRig;
let client: Client;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  rig = await PageRig.up({
    groups: { sim: { opened: true }, stop: { opened: true }, tools: { opened: true } },
    processes: {
      "sim/base": { command: ECHO, autostart: true },
      "sim/above": { command: ECHO, depends_on: { "sim/base": { condition: "started" } }, autostart: true },
      "sim/idle": { command: ECHO },
      "stop/send": { command: ECHO },
      "stop/restart": { command: ECHO },
      "tools/clock": { command: ECHO, autostart: true },
      "tools/kept": { command: ECHO, confirm: true, autostart: true },
      "tools/slow": { command: IGNORES_TERM, stop: { timeout: "10m" } },
      "tools/brief": { command: EXIT_AS_TYPED },
      "tools/uses-base": { command: ECHO, depends_on: { "sim/base": { condition: "started" } }, autostart: true },
    },
  });
  ({ client } = rig);
  shown = await rig.open("/?process=tools/clock");
  ({ page } = shown);
  for (const name of ["sim/above", "tools/clock", "tools/kept", "tools/uses-base"]) await shown.untilRow(name, "started");
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const dialog = (name: string) => page.getByRole("dialog", { name });
const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
/** A single process is stopped at once, and a notice offers to start it again. */
const stopsAtOnce = async (name: string) => {
  await shown.untilRow(name, "stopped");
  const notice = page.getByRole("status").filter({ hasText: `Stopped ${name}` });
  await notice.getByRole("button", { name: "Start again" }).click();
  await shown.untilRow(name, "started");
  expect(await page.getByRole("dialog").count()).toBe(0);
};
const asks = async (title: string) => {
  await dialog(title).waitFor();
  await press("Escape");
  await dialog(title).waitFor({ state: "hidden" });
};
const states = async () => {
  const snapshot = await client.ask({ type: "get_snapshot" });
  const processes = snapshot.processes as { name: string; state: string }[];
  return Object.fromEntries(processes.map(({ name, state }) => [name, state]));
};

/** What was requested of a process, as the log has it. */
const requestsOf = async (name: string) => {
  const { entries } = await client.ask({ type: "request_logs", limit: 1_000 });
  return (entries as { msg: string }[]).flatMap(({ msg }) => new RegExp(` requests (\\w+) of '${name}'`).exec(msg)?.[1] ?? []);
};

describe("the palette", () => {
  test("begins with no action that ends a process, whatever part of a name is typed", async () => {
    const names = Object.keys(await states());
    const queries = [...new Set(names.flatMap((name) => [name, name.slice(0, 3), name.slice(name.indexOf("/") + 1)]))];
    await press("Control+Shift+K");
    const first = page.locator("#palette-list [role=option]").first();
    const wrong: string[] = [];
    for (const query of ["", ...queries]) {
      await page.getByRole("combobox", { name: "Command" }).fill(query);
      const title = (await first.textContent()) ?? "";
      if (/^(Stop|Restart|Send)/.test(title)) wrong.push(`'${query}': ${title}`);
    }
    await press("Escape");
    expect(wrong).toEqual([]);
  });

  test("a name and Enter open the process, and end nothing", async () => {
    await press("Control+Shift+K");
    await page.keyboard.type("clock");
    await press("Enter");
    await page.getByRole("heading", { name: "tools/clock" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect((await states())["tools/clock"]).toBe("started");
  });

  test("an action that ends a process is not preselected, and shows whether it asks", async () => {
    await press("Control+Shift+K");
    await page.keyboard.type("stop tools/kept");
    const option = page.getByRole("option", { name: "Stop tools/kept" });
    await option.getByText("asks first").waitFor();
    await press("Enter");
    await option.waitFor();
    await press("ArrowDown", "Enter");
    await dialog("Stop tools/kept?").waitFor();
    // Enter alone confirms nothing.
    await press("Enter");
    await dialog("Stop tools/kept?").waitFor({ state: "hidden" });
    expect((await states())["tools/kept"]).toBe("started");
    await press("Control+Shift+K");
    await page.keyboard.type("stop tools/clock");
    await page.getByRole("option", { name: "Stop tools/clock" }).waitFor();
    expect(await page.getByRole("option").getByText("asks first").count()).toBe(0);
    await press("Escape");
  });
});

describe("one rule for actions that end a process: keys, buttons, rows, menus and the palette", () => {
  const ways: Record<string, (name: string) => Promise<unknown>> = {
    "a key of its view": async (name) => {
      await shown.goTo(name);
      await page.getByRole("heading", { name }).click();
      await press("x");
    },
    "a key on its row": (name) => shown.row(name).press("x"),
    "the button of its view": async (name) => {
      await shown.goTo(name);
      await page.getByRole("button", { name: "Stop", exact: true }).click();
    },
    "the icon of its row": async (name) => {
      await shown.row(name).hover();
      await shown.row(name).locator(".quick").click();
    },
    "the menu of its row": async (name) => {
      await shown.row(name).click({ button: "right" });
      await page.getByRole("menuitem", { name: /^Stop/ }).click();
    },
    "the table of all processes": async (name) => {
      await shown.run("All processes");
      await page.getByRole("button", { name: `Stop ${name}` }).click();
    },
    "the palette": (name) => shown.run(`Stop ${name}`),
  };
  for (const [way, stop] of Object.entries(ways)) {
    test(`${way} stops a single process at once, and asks for one that is to be confirmed or has dependents`, async () => {
      await stop("tools/clock");
      await stopsAtOnce("tools/clock");
      for (const name of ["tools/kept", "sim/base"]) {
        await stop(name);
        await asks(`Stop ${name}?`);
        expect((await states())[name]).toBe("started");
      }
    });
  }

  test("a pending request is not sent again", async () => {
    await client.command({ type: "start_process", name: "tools/slow" });
    await shown.goTo("tools/slow");
    await shown.untilShown("tools/slow", /trapped/);
    const { pid } = await client.process("tools/slow");
    await page.getByRole("button", { name: "Restart", exact: true }).focus();
    await press("Enter", "Enter", "Enter");
    // Only now it may end: the request was pending all the time.
    const kill = () => client.command({ type: "send_signal", name: "tools/slow", signal: "SIGKILL" });
    await shown.untilRow("tools/slow", "stopping");
    await kill();
    await soon(async () => (await client.process("tools/slow")).pid ?? pid).not.toBe(pid);
    await shown.untilRow("tools/slow", "started");
    expect((await requestsOf("tools/slow")).filter((verb) => verb === "restart")).toHaveLength(1);
    await client.command({ type: "stop_process", name: "tools/slow" });
    await kill();
    await shown.untilRow("tools/slow", "stopped");
  });

  test("a double click on a button that changes with the state counts as one click", async () => {
    await shown.run("All processes");
    await page.getByRole("button", { name: "Stop tools/clock" }).dblclick();
    await stopsAtOnce("tools/clock");
    await shown.goTo("sim/idle");
    await page.getByRole("button", { name: "Start", exact: true }).dblclick();
    await shown.untilRow("sim/idle", "started");
    await page.getByRole("button", { name: "Restart", exact: true }).waitFor();
    // The manager answers in the order of what was sent about a process.
    await shown.run("Stop sim/idle");
    await shown.untilRow("sim/idle", "stopped");
    expect(await requestsOf("sim/idle")).toEqual(["start", "stop"]);
  });
});

describe("buttons", () => {
  test("of a process that others depend on ask, and list what they also end", async () => {
    await shown.goTo("sim/base");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await dialog("Stop sim/base?").getByText("2 processes that depend on it will stop, too: sim/above, tools/uses-base.").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Restart", exact: true }).click();
    await dialog("Restart sim/base?").getByText("2 processes that depend on it will restart, too").waitFor();
    await press("Escape");
    expect(Object.values(await states()).filter((state) => state === "started")).toHaveLength(5);
  });

  test("of a group ask, and Start starts exactly the processes that were stopped", async () => {
    await shown.goTo("sim", "group");
    const before = await states();
    await page.getByRole("button", { name: "Restart all" }).click();
    await dialog("Restart sim?").waitFor();
    await press("Escape");
    await page.getByRole("button", { name: "Stop all" }).click();
    await dialog("Stop sim?")
      .getByText(/2 processes will stop.*1 process that depends on them will stop, too: tools\/uses-base/)
      .waitFor();
    await page.getByRole("button", { name: "Stop 3 processes" }).click();
    for (const name of ["sim/base", "sim/above", "tools/uses-base"]) await shown.untilRow(name, "stopped");
    const toast = page.getByRole("status");
    await toast.getByText("Stopped 2 processes, and with them tools/uses-base").waitFor();
    await toast.getByRole("button", { name: "Start these again" }).click();
    for (const name of ["sim/base", "sim/above", "tools/uses-base"]) await shown.untilRow(name, "started");
    expect(await states()).toEqual(before);
    await toast.getByText("Stopped 2 processes, and with them tools/uses-base").waitFor({ state: "hidden" });
  });

  test("in rows of the tree and of the table of all processes ask as well", async () => {
    await shown.row("sim").hover();
    await shown.row("sim").locator(".quick").click();
    await dialog("Stop sim?").waitFor();
    await press("Escape");
    await shown.run("All processes");
    await page.getByRole("button", { name: "Stop sim/base" }).click();
    await dialog("Stop sim/base?").waitFor();
    await press("Escape");
    await page.getByRole("button", { name: "Stop all" }).click();
    await dialog("Stop all processes?")
      .getByText(/5 processes will stop/)
      .waitFor();
    await press("Escape");
    expect(Object.values(await states()).filter((state) => state === "started")).toHaveLength(5);
  });

  test("on a phone are in the menu of a row: none of them stops a process", async () => {
    const phone = await rig.open("/?view=all", { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });
    await phone.page.getByRole("link", { name: "tools/clock" }).waitFor();
    expect(await phone.page.getByRole("button", { name: /^Stop (?!all)/ }).count()).toBe(0);
    await phone.page.getByRole("button", { name: "More actions of tools/clock" }).tap();
    await phone.page.getByRole("menuitem", { name: /^Stop/ }).tap();
    const notice = phone.page.getByRole("status").filter({ hasText: "Stopped tools/clock" });
    await notice.getByRole("button", { name: "Start again" }).tap();
    await phone.page.getByRole("button", { name: "Processes", exact: true }).tap();
    await phone.row("tools/kept").locator(".quick").tap();
    await phone.page.getByRole("menuitem", { name: "Stop …" }).tap();
    await phone.page.getByRole("dialog", { name: "Stop tools/kept?" }).waitFor();
    await phone.close();
    await rig.untilState("tools/clock", "started");
  });

  test("on a phone are in the menu of a terminal of a group, too", async () => {
    const phone = await rig.open("/?group=sim", { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });
    await phone.page.getByRole("button", { name: "Show as terminals" }).tap();
    await phone.page.getByRole("button", { name: "More actions of sim/base" }).waitFor();
    expect(await phone.page.getByRole("button", { name: /^Stop (?!all)/ }).count()).toBe(0);
    await phone.page.getByRole("button", { name: "Stop all" }).tap();
    await phone.page.getByRole("dialog", { name: "Stop sim?" }).waitFor();
    expect(await phone.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await phone.close();
  });
});

describe("the menu of a row", () => {
  const menu = (of: Page, name: string) => of.getByRole("menu", { name: `Actions of ${name}` });
  const items = (of: Page, name: string) => menu(of, name).getByRole("menuitem").allTextContents();

  test("has its actions with their keys, by a right click and by the keyboard", async () => {
    await shown.goTo("tools/clock");
    await shown.row("sim/base").click({ button: "right" });
    await menu(page, "sim/base").waitFor();
    const verbs = ["OpenEnter", "Open beside", "Open in new window", "Stop …x", "Restart …r", "Show its log entries", "Copy its name"];
    expect(await items(page, "sim/base")).toEqual(verbs);
    // The view stays.
    await page.getByRole("heading", { name: "tools/clock" }).waitFor();
    await menu(page, "sim/base").getByRole("menuitem", { name: "Stop …" }).click();
    await dialog("Stop sim/base?").waitFor();
    await press("Escape");
    // One that nothing depends on is restarted at once.
    await shown.row("sim/above").click({ button: "right" });
    await menu(page, "sim/above").getByRole("menuitem", { name: "Restart", exact: false }).click();
    await shown.untilNoticed(/^Restarting sim\/above/m);
    await shown.untilRow("sim/above", "started");
    await shown.row("stop").focus();
    await press("Shift+F10");
    await menu(page, "stop").waitFor();
    expect(await items(page, "stop")).toContain("Starts");
    await press("Escape");
    await menu(page, "stop").waitFor({ state: "hidden" });
    await soon(() => shown.hasFocus('[data-name="stop"]')).toBe(true);
    await shown.row("sim/idle").focus();
    await press("Shift+F10");
    await menu(page, "sim/idle").waitFor();
    await press("Enter");
    await page.getByRole("heading", { name: "sim/idle" }).waitFor();
    await rig.untilState("sim/above", "started");
    expect(Object.values(await states()).filter((state) => state === "started")).toHaveLength(5);
  });

  test("opens on a phone by a long press, which does not count as a tap", async () => {
    const phone = await rig.open("/?process=tools/clock", { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });
    await phone.page.getByRole("button", { name: "Processes", exact: true }).tap();
    const row = phone.row("sim/base");
    await row.waitFor();
    // Until the drawer has come to rest.
    let at = await row.boundingBox();
    await soon(async () => {
      const before = at;
      at = await row.boundingBox();
      return at !== null && at.x >= 0 && at.x === before?.x;
    }).toBe(true);
    const cdp = await phone.page.context().newCDPSession(phone.page);
    const touchPoints = [{ x: (at?.x ?? 0) + 90, y: (at?.y ?? 0) + 20 }];
    await cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints });
    await menu(phone.page, "sim/base").waitFor();
    await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await menu(phone.page, "sim/base").getByRole("menuitem", { name: "Stop …" }).tap();
    await phone.page.getByRole("dialog", { name: "Stop sim/base?" }).waitFor();
    await phone.page.getByRole("button", { name: "Cancel" }).tap();
    await phone.page.getByRole("heading", { name: "clock" }).waitFor();
    await phone.close();
  });
});

describe("keys", () => {
  test("typed beside a terminal do not confirm anything, even as a whole line", async () => {
    await shown.goTo("tools/clock");
    await page.getByLabel("Terminal of tools/clock").click();
    await page.getByRole("heading", { name: "tools/clock" }).click();
    // Its first letter goes to another view, where the others have no process to act on.
    await page.keyboard.type("exit\n");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await shown.goTo("tools/kept");
    await shown.untilShown("tools/kept", /hello/);
    await page.getByRole("heading", { name: "tools/kept" }).click();
    // Here the first letter asks, and the rest is for the question.
    await page.keyboard.type("xyz\n");
    await shown.untilShown("tools/kept", /hello/);
    await page.getByRole("heading", { name: "tools/kept" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect((await states())["tools/kept"]).toBe("started");
    for (const [key, title] of [
      ["r", "Restart"],
      ["x", "Stop"],
    ] as const) {
      await press(key);
      await asks(`${title} tools/kept?`);
    }
  });

  test("act on the row that was clicked, which has the visible focus", async () => {
    await shown.row("sim/idle").click();
    await page.getByRole("heading", { name: "sim/idle" }).waitFor();
    await page.locator(".xterm-rows").waitFor();
    expect(await shown.hasFocus('[data-name="sim/idle"]')).toBe(true);
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    await press("s");
    await shown.untilRow("sim/idle", "started");
    await press("x");
    await shown.untilRow("sim/idle", "stopped");
    await shown.untilNoticed(/^Stopped sim\/idle/m);
  });

  test("go to the terminal after Enter or a double click, which is visible", async () => {
    await shown.row("tools/clock").click();
    const hint = page.getByText("Ctrl-Shift-L leaves");
    await hint.waitFor({ state: "hidden" });
    await press("Enter");
    await hint.waitFor();
    await page.keyboard.type("by Enter\n");
    await shown.untilShown("tools/clock", /you typed by Enter/);
    await press("Control+Shift+L");
    await hint.waitFor({ state: "hidden" });
    await shown.row("sim/base").dblclick();
    await soon(() => shown.hasFocus(".terminal-box")).toBe(true);
    await page.keyboard.type("by mouse\n");
    await shown.untilShown("sim/base", /you typed by mouse/);
  });

  test("typed while the page loads have no effect, and the terminal does not take the focus by itself", async () => {
    const other = await rig.open("/?process=tools/clock");
    // The terminal's program comes late: the page is there, and what is typed is meant for the terminal.
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await other.page.route(/terminal-.*\.js/, async (route) => {
      await held;
      await route.continue();
    });
    await other.page.goto(other.page.url(), { waitUntil: "commit" });
    await other.page.getByRole("heading", { name: "tools/clock" }).waitFor();
    await other.page.keyboard.type("xrsotlcaw");
    expect(await other.page.getByRole("dialog").count()).toBe(0);
    await other.page.getByRole("heading", { name: "tools/clock" }).waitFor();
    release();
    await other.untilShown("tools/clock", /hello/);
    expect(await other.hasFocus(".terminal-box")).toBe(false);
    expect((await states())["tools/clock"]).toBe("started");
    await other.page.keyboard.press("Enter");
    await other.page.keyboard.type("later\n");
    await other.untilShown("tools/clock", /you typed later/);
    expect(await other.textOf("tools/clock")).not.toContain("xrsotlcaw");
    await other.close();
  });
});

test("the page reported no error", () => {
  expect(rig.complaints).toEqual([]);
});
