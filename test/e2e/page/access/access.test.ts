import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PageRig, type ShownPage, soon } from "../../support/page-rig.ts";
import { ECHO, READY_WHEN_TYPED } from "../../support/shell.ts";
import { eventually } from "../../support/wait.ts";

let rig: PageRig;

beforeAll(async () => {
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`many/p${String(index).padStart(3, "0")}`, { command: "sleep 1000" }]),
  );
  rig = await PageRig.up({
    groups: { many: { opened: true }, sim: { opened: true }, tools: { opened: true } },
    processes: {
      "sim/gate": { command: READY_WHEN_TYPED, ready: { regex: "listening" }, autostart: true },
      "sim/after": { command: ECHO, depends_on: { "sim/gate": { condition: "ready" } }, autostart: true },
      "tools/echo": { command: ECHO, alternate_commands: { other: "sleep 1000" }, autostart: true },
      ...many,
    },
  });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

test("prefers-reduced-motion turns animations off", async () => {
  const opened = async (reducedMotion: "reduce" | "no-preference") => {
    const shown = await rig.open("/", { reducedMotion });
    // It is starting.
    await shown.untilRow("sim/gate", "started");
    return { shown, animations: () => shown.page.evaluate("document.getAnimations().length") };
  };
  const moving = await opened("no-preference");
  await soon(moving.animations).toBeGreaterThan(0);
  await moving.shown.close();
  const still = await opened("reduce");
  expect(await still.animations()).toBe(0);
  await still.shown.close();
});

describe("by the keyboard alone", () => {
  let shown: ShownPage;
  const press = async (...keys: string[]) => {
    for (const key of keys) await shown.page.keyboard.press(key);
  };
  const focusedRow = () => shown.page.evaluate("document.activeElement?.dataset.name");
  const state = async (name: string) => (await rig.client.process(name)).state;

  beforeAll(async () => {
    shown = await rig.open();
  });
  afterAll(() => shown?.close());

  test("every row of the tree is reached from end to end, and no key is lost", async () => {
    await press("Control+Shift+L");
    for (let round = 0; round < 5; round++) {
      await press("End");
      await soon(focusedRow).toBe("many/p059");
      // At once, one after the other: nothing may wait for a frame.
      await press("Home", "End", "Home", "ArrowDown");
      await soon(focusedRow).toBe("sim/gate");
      await press("PageDown", "PageDown", "PageUp", "ArrowUp", "Home");
      await soon(focusedRow).toBe("sim");
    }
    await press("ArrowLeft", "ArrowDown");
    await soon(focusedRow).not.toBe("sim/gate");
    await press("ArrowUp", "ArrowRight", "ArrowRight");
    await soon(focusedRow).toBe("sim/gate");
  });

  test("the focused row is started and stopped, whatever is shown", async () => {
    await press("/");
    await shown.page.keyboard.type("p007");
    await press("Enter");
    await shown.page.getByRole("heading", { name: "many/p007" }).waitFor();
    // Opened from the filter, it has the keyboard.
    await eventually("the terminal has the keyboard", () => shown.hasFocus(".terminal-box"));
    await press("Control+Shift+L", "/", "Escape", "ArrowDown", "End");
    await soon(focusedRow).toBe("many/p059");
    await press("s");
    await rig.client.untilState("many/p059", "started");
    await press("x");
    await rig.client.untilState("many/p059", "stopped");
    expect(await state("many/p007")).toBe("stopped");
  });

  test("a process is found, started, typed into, left and stopped", async () => {
    await press("Control+Shift+L", "Home", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown");
    await soon(focusedRow).toBe("tools/echo");
    await press("Enter");
    await shown.untilShown("tools/echo", /hello/);
    await eventually("the terminal has the keyboard", () => shown.hasFocus(".terminal-box"));
    await shown.page.keyboard.type("by hand\n");
    await shown.untilShown("tools/echo", /you typed by hand/);
    await press("Control+Shift+L");
    await soon(focusedRow).toBe("tools/echo");
    const from = rig.client.here;
    await press("x");
    await rig.client.untilState("tools/echo", "stopped", from);
    await press("s");
    await rig.client.untilState("tools/echo", "started", from);
  });

  test("leaving a terminal focuses the row of its process, wherever it was opened", async () => {
    await shown.goTo("many/p030");
    await eventually("the terminal has the keyboard", () => shown.hasFocus(".terminal-box"));
    await press("Control+Shift+L");
    await soon(focusedRow).toBe("many/p030");
  });

  test("a key finds the row at its present place, also before an update is drawn", async () => {
    await press("Control+Shift+L", "/", "Escape", "ArrowDown", "End");
    await soon(focusedRow).toBe("many/p059");
    await press("ArrowUp");
    await soon(focusedRow).toBe("many/p058");
    // Both in one task, which no drawing comes between.
    await shown.page.evaluate(`{
      const filter = document.getElementById("filter");
      filter.value = "p05";
      filter.dispatchEvent(new Event("input", { bubbles: true }));
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true, cancelable: true }));
    }`);
    await soon(focusedRow).toBe("many/p057");
    await press("/", "Escape", "ArrowDown");
  });

  test("an action of the palette that is no longer possible is not replaced by another", async () => {
    const option = (name: string) => shown.page.getByRole("option", { name: new RegExp(`^${name}`) });
    await rig.client.command({ type: "start_process", name: "many/p001" });
    await shown.untilRow("many/p001", "started");
    await press("Control+k");
    await shown.page.keyboard.type("many/p001");
    await option("Stop many/p001").hover();
    await rig.client.command({ type: "stop_process", name: "many/p001" });
    await option("Start many/p001").waitFor();
    await press("Enter");
    await shown.page.getByRole("dialog", { name: "Command palette" }).waitFor();
    expect(await shown.page.locator("[role=option][aria-selected=true]").count()).toBe(0);
    await press("Escape");
  });

  test("one key does not stop a group without a confirmation", async () => {
    await rig.client.command({ type: "send_stdin", name: "sim/gate", text: "go\n" });
    // The question counts what the page has been told of.
    await shown.untilRow("sim/gate", "ready");
    await shown.untilRow("sim/after", "started");
    await press("Control+Shift+L", "Home", "x");
    await shown.page.getByRole("dialog", { name: "Stop sim?" }).waitFor();
    await press("Escape");
    expect(await state("sim/after")).toBe("started");
    // Nor the palette, wherever one is.
    await shown.run("Stop group sim");
    await shown.page.getByRole("dialog", { name: "Stop sim?" }).waitFor();
    await press("Escape");
    expect(await state("sim/after")).toBe("started");
    // Nor does a key that is held still: it has asked, and does not answer.
    await shown.goTo("sim", "group");
    await press("Control+k");
    await shown.page.keyboard.type("stop sim");
    await shown.page.getByRole("option").getByText("Stop sim", { exact: true }).hover();
    for (const _ of ["pressed", "repeated"]) await shown.page.keyboard.down("Enter");
    await shown.page.keyboard.up("Enter");
    await shown.page.getByRole("dialog", { name: "Stop sim?" }).waitFor();
    const from = rig.client.here;
    await press("Tab", "Enter");
    await rig.client.untilState("sim/gate", "stopped", from);
  });

  test("panes are split and switched; details, log and configuration open and close", async () => {
    await shown.run("Close all other tabs and panes");
    await press("Control+Shift+L", "\\");
    await eventually("it is split", async () => (await shown.page.locator(".pane").count()) === 2);
    const focused = () => shown.page.locator(".pane.focused").getAttribute("data-pane");
    const first = await focused();
    // Whatever comes up in a pane, the keyboard stays with the page.
    await shown.page.locator(".pane.focused .verdict, .pane.focused .xterm-rows").first().waitFor();
    await press("`");
    await eventually("the other pane has the focus", async () => (await focused()) !== first);
    await press("w");
    await eventually("it is closed", async () => (await shown.page.locator(".pane").count()) === 1);
    await press("l");
    await shown.page.getByRole("complementary", { name: "Log" }).waitFor();
    await press("l", "c");
    await shown.page.locator(".cm-content").waitFor();
    await press("o");
    await shown.page.locator(".verdict").waitFor();
    await press("a");
    await shown.page.getByRole("heading", { name: "All processes" }).waitFor();
  });

  test("the palette is opened, used and closed, and then returns the focus", async () => {
    await press("Control+Shift+L");
    const before = await focusedRow();
    await press("Control+k", "ArrowDown", "ArrowDown", "ArrowUp");
    await soon(() => shown.page.locator("[role=option][aria-selected=true]").count()).toBe(1);
    await press("Escape");
    await soon(focusedRow).toBe(before);
    // A key that comes with the next breath finds it gone already, and is not lost.
    const palette = shown.page.getByRole("dialog", { name: "Command palette" });
    await press("Control+k");
    for (let i = 0; i < 30; i++) {
      await palette.waitFor();
      await press("Escape", "Control+k");
    }
    await palette.waitFor();
    await press("Escape");
    await soon(focusedRow).toBe(before);
    // Also after it has done something, and after a question has been answered.
    await shown.run("Larger terminal text");
    await shown.run("Reset terminal text size");
    await soon(focusedRow).toBe(before);
    await shown.run("Settings");
    await shown.page.getByRole("dialog", { name: "Settings" }).waitFor();
    await press("Escape");
    await soon(focusedRow).toBe(before);
  });

  test("Escape and Tab leave the editor, where Tab indents", async () => {
    await shown.run("Configuration");
    await shown.page.locator(".cm-content").click();
    await soon(() => shown.hasFocus(".cm-content")).toBe(true);
    // The editor lets Tab go for two seconds after Escape.
    await soon(async () => {
      await press("Escape", "Tab");
      return shown.hasFocus(".cm-content");
    }).toBe(false);
  });
});

test("the page reported no error", () => {
  expect(rig.complaints).toEqual([]);
});
