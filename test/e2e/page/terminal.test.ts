import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";
import { ECHO, EDITOR, EXIT_AS_TYPED, sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

const LONG = "perception_lidar_front_left_preprocessing_calibration_node";

let rig: PageRig;
let client: Client;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  rig = await PageRig.up({
    groups: {
      tools: { opened: true },
      folded: { opened: false },
      "folded/deep": { opened: false },
      many: { opened: true },
      grid: { opened: true },
    },
    processes: {
      ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`many/p${String(index).padStart(2, "0")}`, { command: "true" }])),
      [`folded/deep/${LONG}`]: { command: ECHO, autostart: true },
      "grid/one": { command: ECHO, autostart: true },
      "grid/two": { command: ECHO, autostart: true },
      "grid/three": { command: ECHO },
      "tools/words": { command: sh("printf 'alpha one\\nAlpha two\\nbeta 33\\nalpha three\\n'; exec cat"), autostart: true },
      "tools/numbers": { command: sh("seq -f 'number %.0f' 1 9000; exec cat"), autostart: true },
      "tools/brief": { command: EXIT_AS_TYPED, autostart: true },
      "tools/editor": { command: EDITOR, autostart: true },
      "tools/full": { command: sh(String.raw`printf 'started\n\033[?1049h\033[2J\033[Hfull screen'; read x; kill -KILL $$$$`) },
    },
  });
  ({ client } = rig);
  shown = await rig.open("/?process=tools/brief");
  ({ page } = shown);
});
afterAll(() => rig?.[Symbol.asyncDispose]());

describe("runs in a terminal", () => {
  const runs = async (name: string) =>
    (await shown.textOf(name)).match(
      /Run \d+: (exit code \d+|ended by \w+) \((crashed|completed)\)( · started by \w+)? · [\d.]+ s · \d\d:\d\d:\d\d/g,
    ) ?? [];
  const words = async (name: string) => (await runs(name)).map((text) => text.slice(0, text.indexOf(" ·")));
  /** A rule does not yet know who starts the next run when it is drawn at the end of its own. */
  const withoutStarts = (text: string) => text.replace(/ · started by \w+/g, "");

  test("are separated by a rule with number, exit, duration and time, also after a reload", async () => {
    await rig.untilState("tools/brief", "started");
    for (const [index, code] of ["3", "0"].entries()) {
      if (index > 0) await client.command({ type: "start_process", name: "tools/brief" });
      await rig.untilState("tools/brief", "started");
      await client.command({ type: "send_stdin", name: "tools/brief", text: `${code}\n` });
      await soon(() => words("tools/brief")).toHaveLength(index + 1);
    }
    expect(await words("tools/brief")).toEqual(["Run 1: exit code 3 (crashed)", "Run 2: exit code 0 (completed)"]);
    // Each below what its run has shown: the echo of the code.
    expect(await shown.textOf("tools/brief")).toMatch(/^3\s*Run 1.*0\s*Run 2/s);
    await soon(() => page.locator(".run-rule").count()).toBe(2);
    const live = withoutStarts(await shown.textOf("tools/brief"));
    await page.reload();
    await soon(() => words("tools/brief")).toHaveLength(2);
    expect(withoutStarts(await shown.textOf("tools/brief"))).toBe(live);
  });

  test("leave the terminal clean for the next run, however a full-screen program has ended", async () => {
    await shown.goTo("tools/full");
    for (const count of [1, 2]) {
      await client.command({ type: "start_process", name: "tools/full" });
      await rig.untilState("tools/full", "started");
      await shown.untilShown("tools/full", /^full screen\s*$/);
      await client.command({ type: "send_stdin", name: "tools/full", text: "\n" });
      await soon(() => words("tools/full")).toHaveLength(count);
    }
    const ended = /^(started\s*full screen\s*Run \d: ended by SIGKILL \(crashed\)( · started by \w+)? · [\d.]+ s · [\d:]+\s*){2}$/;
    expect(await shown.textOf("tools/full")).toMatch(ended);
    await page.reload();
    await shown.untilShown("tools/full", ended);
  });
});

describe("an editor that was started in another size", () => {
  const isWhole = /^The first line\.x/;

  test("is drawn whole, and whole again after a reload in the same size", async () => {
    await shown.goTo("tools/editor");
    await shown.untilShown("tools/editor", isWhole);
    await page.reload();
    await shown.untilShown("tools/editor", isWhole);
  });

  test("is drawn whole for a viewer of another size", async () => {
    const looking = await rig.open("/?process=tools/editor", { viewport: { width: 900, height: 700 } });
    await looking.untilShown("tools/editor", isWhole);
    await looking.close();
  });
});

describe("an address with a place in the output", () => {
  test("opens the terminal at that line, and leads to the process alone where the line is not in memory", async () => {
    const numbers = await eventually("the numbers", async () => {
      const answer = await client.ask({ type: "get_process_output", name: "tools/numbers", lines: 100_000 });
      return String(answer.output).includes("number 9000\r\n") ? answer : null;
    });
    const behind = String(numbers.output).length - String(numbers.output).indexOf("number 2500\r\n");
    const place = (offset: number) => `/?process=tools/numbers&at=${offset}@${numbers.stream_id}`;
    await shown.go(place(Number(numbers.offset) - behind));
    await shown.untilShown("tools/numbers", /number 2495\s*number 2496.*number 2500\D/s);
    // A link to the place is kept, and is gone with the process.
    expect(page.url()).toMatch(/[?&]at=\d+/);
    await shown.goTo("tools/words");
    await soon(() => page.url()).not.toMatch(/[?&]at=/);
    await page.goBack();
    await shown.untilShown("tools/numbers", /number 2500\D/);
    await shown.go(`/?process=tools/numbers&at=12@another`);
    await shown.untilNoticed(/daemon of its host was started again/);
    await shown.untilShown("tools/numbers", /number 9000/);
  });
});

describe("the search of a terminal", () => {
  test("counts its matches, steps through them by the keyboard, and has switches for case and expressions", async () => {
    await shown.goTo("tools/words");
    await shown.untilShown("tools/words", /alpha three/);
    await page.getByLabel("Terminal of tools/words").click();
    await page.keyboard.press("Control+Shift+F");
    await page.keyboard.type("alpha");
    const received = () => page.getByRole("search").getByRole("status").textContent();
    // The newest first.
    await soon(received).toBe("3 of 3");
    await page.keyboard.press("Enter");
    await soon(received).toBe("2 of 3");
    await page.keyboard.press("Shift+Enter");
    await soon(received).toBe("3 of 3");
    await page.keyboard.press("Alt+c");
    await soon(received).toBe("2 of 2");
    const matchCase = page.getByRole("button", { name: "Match case Alt-C" });
    expect(await matchCase.getAttribute("aria-pressed")).toBe("true");
    await matchCase.click();
    await page.getByLabel("Search the terminal").fill("(");
    await soon(received).toBe("No matches");
    await page.getByLabel("Search the terminal").press("Alt+r");
    await soon(received).toBe("Invalid expression");
    await page.getByLabel("Search the terminal").fill("^beta \\d+$");
    await soon(received).toBe("1 of 1");
    expect(await shown.violations()).toEqual([]);
    // What comes is counted, too.
    await client.command({ type: "send_stdin", name: "tools/words", text: "beta 44\n" });
    await soon(received).toMatch(/^(\d of )?3/);
    await page.getByLabel("Search the terminal").press("Alt+r");
    await page.keyboard.press("Escape");
    await soon(() => shown.hasFocus(".terminal-box")).toBe(true);
  });
});

describe("a process that is opened by its address", () => {
  const isInSight = (name: string) =>
    page.evaluate(`(() => {
      const row = document.querySelector('[role=treeitem][data-name="${name}"]')?.getBoundingClientRect();
      const list = document.querySelector(".rows").getBoundingClientRect();
      return row !== undefined && row.top >= list.top && row.bottom <= list.bottom;
    })()`);

  test.each(["many/p59", `folded/deep/${LONG}`])("is shown in the tree: %s", async (name) => {
    await shown.go(`/?process=${name}`);
    await soon(() => isInSight(name)).toBe(true);
    expect(await shown.row(name).getAttribute("aria-selected")).toBe("true");
  });

  test("a long name is shortened in its middle, and whole for screen readers", async () => {
    const row = shown.row(`folded/deep/${LONG}`);
    await row.waitFor();
    const widths = (selector: string) =>
      row.locator(selector).evaluate((element) => {
        const { clientWidth, scrollWidth } = element as unknown as { clientWidth: number; scrollWidth: number };
        return [clientWidth, scrollWidth] as const;
      });
    const [head, headText] = await widths(".own-head");
    expect(head).toBeLessThan(headText);
    const [tail, tailText] = await widths(".own-tail");
    expect(tail).toBe(tailText);
    expect(await row.locator(".own-tail").textContent()).toBe("_node");
    await page.getByRole("heading", { name: `folded/deep/${LONG}`, exact: true }).waitFor();
  });
});

describe("a menu of secondary actions", () => {
  test("is used by the keyboard alone, as other menus are", async () => {
    await shown.goTo("tools/words");
    const button = page.getByRole("button", { name: "More actions of the terminal" });
    const menu = page.getByRole("menu", { name: "More actions of the terminal" });
    const focused = () => page.evaluate("document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent");
    await button.focus();
    await page.keyboard.press("ArrowDown");
    await menu.waitFor();
    expect(await button.getAttribute("aria-expanded")).toBe("true");
    await soon(focused).toBe("Copy selection or all output");
    await page.keyboard.press("End");
    await soon(focused).toBe("Clear terminal");
    // A letter of the page, which is the menu's here.
    await page.keyboard.press("d");
    await soon(focused).toBe("Download the output");
    expect(await shown.violations()).toEqual([]);
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await soon(focused).toBe("More actions of the terminal");
    await page.keyboard.press("ArrowUp");
    await soon(focused).toBe("Clear terminal");
    await page.keyboard.press("Enter");
    await menu.waitFor({ state: "detached" });
    await soon(() => shown.textOf("tools/words")).not.toMatch(/alpha one/);
    await button.click();
    await menu.waitFor();
    await page.locator(".terminal-box").click();
    await menu.waitFor({ state: "detached" });
  });
});

describe("the terminals of a group", () => {
  test("are started, stopped and enlarged where they are", async () => {
    await shown.goTo("grid", "group");
    await page.getByRole("button", { name: "Show as terminals" }).click();
    const tile = (name: string) => page.getByRole("region", { name: `Process grid/${name}` });
    await shown.untilShown("grid/one", /hello/);
    await tile("three").getByRole("button", { name: "Start grid/three" }).click();
    await shown.untilShown("grid/three", /hello/);
    await tile("two").getByRole("button", { name: "Stop grid/two" }).click();
    await rig.untilState("grid/two", "stopped");
    await tile("two").getByRole("button", { name: "Start grid/two" }).waitFor();
    const width = async () => (await tile("one").boundingBox())?.width ?? 0;
    const before = await width();
    await tile("one").getByRole("button", { name: "Enlarge grid/one" }).press("Enter");
    await soon(width).toBeGreaterThan(before);
    expect(await tile("two").isVisible()).toBe(false);
    expect(await shown.violations()).toEqual([]);
    await page.keyboard.press("Escape");
    await soon(width).toBe(before);
    await shown.untilShown("grid/three", /hello/);
    await page.getByRole("button", { name: "Show as table" }).click();
  });
});

test("the page reported no error", () => expect(rig.complaints).toEqual([]));
