import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";
import { ECHO, sh } from "../support/shell.ts";
import { LAYOUT_FAULTS } from "./layout-faults.ts";

const LINES = 3_000;
const NUMBERS = Array.from({ length: LINES }, (_, index) => `${index + 1}\n`).join("");

let rig: PageRig;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  rig = await PageRig.up({
    // The next managers have the same port. The kernel does not give it to another program.
    instance: { name: "test-bench-of-the-robot-with-two-arms", manager: `localhost:${freePort()}` },
    groups: { tools: { opened: true } },
    processes: {
      "tools/numbers": { command: sh(`seq ${LINES}; exec cat`), autostart: true },
      "tools/echo": { command: ECHO, autostart: true },
      "parts-of-the-simulation/with-a-name-that-is-longer-than-its-column": { command: ECHO },
      "tools/busy": { command: sh("while true; do :; done"), limits: { cpu: 3_600 }, scheduling: { nice: 19 } },
    },
  });
  shown = await rig.open("/?process=tools/echo");
  ({ page } = shown);
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const faults = () => page.evaluate(LAYOUT_FAULTS) as Promise<string[]>;
/** Elements whose text does not fit. */
const cut = (selector: string) =>
  page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)`,
  );

test("a terminal shows the newest output while older output is loading, and then all of it, once", async () => {
  const own = await rig.open("/?view=log");
  const { page } = own;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const held: (() => void)[] = [];
  const late = new Set<unknown>();
  let isHeld = true;
  await page.routeWebSocket(/\/ws/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const frame = JSON.parse(String(text)) as Record<string, unknown>;
      if (frame.type === "get_process_output" && Number(frame.lines) > LINES) late.add(frame.request_id);
      server.send(text);
    });
    server.onMessage((text) => {
      const frame = JSON.parse(String(text)) as Record<string, unknown>;
      if (isHeld && late.has(frame.request_id)) held.push(() => socket.send(text));
      else socket.send(text);
    });
  });
  await own.go("/?process=tools/numbers");
  await own.untilShown("tools/numbers", /2999\s*3000/);
  await soon(() => held.length).toBe(1);
  await page.getByLabel("Terminal of tools/numbers").click();
  await page.keyboard.type("typed\n");
  await own.untilShown("tools/numbers", /typed\s*typed/);
  isHeld = false;
  for (const send of held) send();
  const all = async () => {
    await own.choose("More actions of the terminal", "Copy selection or all output");
    return page.evaluate("navigator.clipboard.readText()");
  };
  await soon(async () => String(await all()).trimEnd()).toBe(`${NUMBERS}typed\ntyped`);
  await own.untilShown("tools/numbers", /3000\s*typed\s*typed/);
  await own.close();
});

test("at 1024 px a long name of the instance does not hide the names of the views", async () => {
  await page.setViewportSize({ width: 1024, height: 768 });
  expect(await faults()).toEqual([]);
  const log = page.getByRole("navigation", { name: "Views" }).getByRole("button", { name: "Log" });
  const box = await log.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 9_999)).toBeLessThanOrEqual(1024);
  expect(await cut(".top-nav .word")).toEqual([]);
});

test("at 1024 px long names of processes do not hide the other columns of the table", async () => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await shown.run("All processes");
  await page.locator(".members tr[data-key]").first().waitFor();
  const beyond = `(() => { const { scrollWidth, clientWidth } = document.querySelector(".members"); return scrollWidth - clientWidth; })()`;
  await soon(() => page.evaluate(beyond)).toBe(0);
});

test("the values of the process list are aligned in their rows, and its title, filter and refresh fit half a window", async () => {
  await rig.client.command({ type: "start_process", name: "tools/busy" });
  await page.setViewportSize({ width: 1440, height: 800 });
  await shown.go("/mgr/process-list");
  await page.locator("tr[data-key]").first().waitFor();
  const apart = `[...document.querySelectorAll("tr[data-key]")].flatMap((row) => {
    const { top } = row.getBoundingClientRect();
    return [...row.cells].filter((cell) => Math.abs(cell.getBoundingClientRect().top - top) > 1 || getComputedStyle(cell).display !== "table-cell")
      .map((cell) => cell.textContent);
  })`;
  expect(await page.evaluate(apart)).toEqual([]);
  for (const width of [1440, 1024]) {
    await page.setViewportSize({ width, height: 800 });
    await shown.choose("More actions of the pane", "Split right");
    await soon(() => page.locator(".pane").count()).toBe(2);
    await soon(faults).toEqual([]);
    expect(await cut(".tasks h1")).toEqual([]);
    const filter = await page.getByLabel(/^Filter tasks/).boundingBox();
    expect(filter?.width).toBeGreaterThan(180);
    await page
      .locator(".pane")
      .nth(1)
      .getByRole("button", { name: /^Close / })
      .click();
    await soon(() => page.locator(".pane").count()).toBe(1);
  }
  await rig.client.command({ type: "stop_process", name: "tools/busy" });
});

test("details are opened in one pane only, over its terminal if it is narrow, and begin with the state of the process", async () => {
  await page.setViewportSize({ width: 1440, height: 800 });
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await shown.go("/?process=tools/echo");
  await shown.untilShown("tools/echo", /hello/);
  await shown.choose("More actions of the pane", "Split right");
  await shown.goTo("tools/numbers");
  await shown.untilShown("tools/numbers", /3000/);
  const sizes = () => page.locator(".terminal-tools .size").allTextContents();
  await soon(async () => (await sizes()).length).toBe(2);
  const before = await sizes();
  await page.getByRole("button", { name: "Details d" }).nth(1).click();
  const details = page.getByRole("complementary", { name: "Details of tools/numbers" });
  await details.getByRole("heading", { name: "Load" }).waitFor();
  expect(await page.locator(".process-details").count()).toBe(1);
  expect(await sizes()).toEqual(before);
  await soon(async () => (await details.getByRole("heading").allTextContents()).slice(0, 5)).toEqual([
    ...["Details", "State", "Run", "Load", "History"],
  ]);
  // Sections of features are between.
  await details.getByRole("heading", { name: "Dependencies" }).waitFor();
  await details.getByRole("heading", { name: "Command and options" }).waitFor();
  // There is one command, and nothing to choose.
  expect(await details.getByRole("radio").count()).toBe(0);
  await soon(() => details.locator(".hint").count()).toBe(4);
  const moving = `[...document.querySelectorAll(".changes .mark-starting")].filter((mark) => getComputedStyle(mark).animationName !== "none").length`;
  await details.locator(".changes .mark-starting").first().waitFor();
  expect(await page.evaluate(moving)).toBe(0);
  expect(await faults()).toEqual([]);
  await details.press("Escape");
  await details.waitFor({ state: "detached" });
  expect(await shown.hasFocus(".details-button")).toBe(true);
  await page.getByRole("button", { name: "Close numbers w" }).click();
  await page.emulateMedia({ reducedMotion: "reduce" });
});

test("without the manager nothing moves, no terminal is resized, and the page says that processes continue to run", async () => {
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await shown.go("/?process=tools/echo");
    await shown.untilShown("tools/echo", /hello/);
    const boxes = () =>
      page.evaluate(
        `JSON.stringify(["header.top", ".top-nav", ".terminal-box", ".sidebar", ".process h1", ".terminal-tools .size"].map((selector) => {
          const element = document.querySelector(selector);
          const { x, y, width, height } = element?.getBoundingClientRect() ?? {};
          return [selector, x, y, width, height, selector.endsWith("size") ? element.textContent : ""];
        }))`,
      );
    // The terminal is fitted a moment after it is drawn.
    let before = "";
    await soon(async () => {
      const last = before;
      before = String(await boxes());
      return before === last;
    }).toBe(true);
    rig.instance.kill("manager");
    const banner = page.getByRole("alert").filter({ hasText: "Disconnected." });
    await banner.getByText("Your processes keep running.").waitFor();
    expect(await boxes()).toBe(before);
    expect(await faults()).toEqual([]);
    // Its words fit its own box.
    expect(
      await page.evaluate(
        `(() => { const { clientHeight, scrollHeight } = document.querySelector(".connection-banner"); return scrollHeight - clientHeight; })()`,
      ),
    ).toBeLessThanOrEqual(1);
    await banner.getByRole("button", { name: "Try now" }).waitFor();
    await rig.instance.mgr("up", "--detach");
    await shown.connected();
    await banner.waitFor({ state: "detached" });
  }
});

test("the page reported no error", () => expect(rig.complaints).toEqual([]));
