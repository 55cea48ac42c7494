import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";
import { ECHO, EXIT_AS_TYPED, sh } from "../support/shell.ts";

/** Says its size whenever that changes. */
const SIZE = sh(`trap 'echo size $(stty size)' WINCH; echo hello; while :; do read line || true; done`);

let rig: PageRig;
let client: Client;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  rig = await PageRig.up({
    groups: { tools: { opened: true } },
    processes: {
      "tools/brief": { command: EXIT_AS_TYPED },
      "tools/echo": { command: ECHO, autostart: true },
      "tools/failing": { command: sh("echo one line; exit 8") },
      "tools/later": { command: ECHO },
      "tools/size": { command: SIZE, autostart: true },
    },
  });
  ({ client } = rig);
  shown = await rig.open("/?process=tools/brief");
  ({ page } = shown);
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const boxOf = async (what: Locator) => JSON.stringify(await what.boundingBox());

describe("the layout does not move", () => {
  test("in a process's view and in the tree, while it starts and fails", async () => {
    await page.locator(".xterm-rows").waitFor();
    const watched = [page.locator(".terminal-box"), shown.row("tools/size"), page.getByRole("button", { name: /^(Start|Restart)$/ })];
    const boxes = () => Promise.all(watched.map(boxOf));
    const before = await boxes();
    await client.command({ type: "start_process", name: "tools/brief" });
    await shown.untilRow("tools/brief", "started");
    expect(await boxes()).toEqual(before);
    await client.command({ type: "send_stdin", name: "tools/brief", text: "7\n" });
    await page.getByText("Failed: exit code 7").waitFor();
    await shown.untilRow("tools/brief", "error");
    expect(await boxes()).toEqual(before);
  });

  test("in the overview but what is new, and a row under the mouse stays until it leaves", async () => {
    await shown.run("Overview");
    const start = page.getByRole("button", { name: "Restart tools/brief" });
    await start.hover();
    const tile = page.locator(".count-tile", { hasText: "stopped" });
    const before = [await boxOf(start), await boxOf(tile)];
    await client.command({ type: "start_process", name: "tools/brief" });
    await shown.untilRow("tools/brief", "started");
    expect([await boxOf(start), await boxOf(tile)]).toEqual(before);
    await page.mouse.move(5, 5);
    await start.waitFor({ state: "detached" });
  });

  test("in the overview of a phone while rows are touched one after the other", async () => {
    await client.command({ type: "send_stdin", name: "tools/brief", text: "7\n" });
    await client.command({ type: "start_process", name: "tools/failing" });
    for (const name of ["tools/brief", "tools/failing"]) await rig.untilState(name, "error");
    const phone = await rig.open("/", { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });
    const restart = (name: string) => phone.page.getByRole("button", { name: `Restart ${name}` });
    const before = await boxOf(restart("tools/failing"));
    await restart("tools/brief").tap();
    await phone.page.locator(".trouble-row", { hasText: "tools/brief" }).getByText("started", { exact: true }).waitFor();
    expect(await boxOf(restart("tools/failing"))).toBe(before);
    await restart("tools/brief").waitFor({ state: "detached" });
    await phone.close();
  });

  test("in the tasks of a host while the mouse is over it", async () => {
    await shown.run("Tasks");
    await page.getByRole("button", { name: "Managed only" }).click();
    await page.getByRole("button", { name: /^pid/i }).click();
    const head = page.getByRole("columnheader", { name: /^pid/i });
    // The largest first.
    if ((await head.getAttribute("aria-sort")) !== "descending") await page.getByRole("button", { name: /^pid/i }).click();
    await soon(() => head.getAttribute("aria-sort")).toBe("descending");
    const rowOf = (pid: unknown) => page.locator(`.task-table tr[data-key^="${pid}:"]`);
    const echo = rowOf((await client.process("tools/echo")).pid);
    await echo.hover();
    const before = await boxOf(echo);
    await client.command({ type: "start_process", name: "tools/later" });
    await client.untilState("tools/later", "started");
    const later = rowOf((await client.process("tools/later")).pid);
    await later.waitFor();
    expect(await boxOf(echo)).toBe(before);
    await page.getByText("order held while the pointer is over the list").waitFor();
    await page.mouse.move(5, 5);
    // Which pid is the newest is not said: they begin again after the largest one.
    const pids = `[...document.querySelectorAll(".task-table tbody tr[data-key]")].map((row) => Number.parseInt(row.dataset.key))`;
    await soon(async () => {
      const shownPids = (await page.evaluate(pids)) as number[];
      return shownPids.length > 1 && shownPids.every((pid, index) => index === 0 || pid <= (shownPids[index - 1] ?? 0));
    }).toBe(true);
  });
});

describe("the size of a terminal", () => {
  const sizeOf = async ({ page: of }: ShownPage) => (await of.locator(".terminal-tools .size").textContent()) ?? "";
  /** As the program is told: rows and columns. */
  const sentSize = async (of: ShownPage) => (await of.textOf("tools/size")).match(/size (\d+ \d+)/g)?.at(-1);
  const asSent = (size: string) => size.replace(/^(\d+)×(\d+).*/, "size $2 $1");

  test("is not changed by a smaller viewer that does not type, goes to the one that types, and back when that one leaves", async () => {
    await shown.goTo("tools/size");
    await soon(() => sentSize(shown)).toMatch(/size/);
    await soon(() => sizeOf(shown)).toMatch(/^\d+×\d+$/);
    const own = await sizeOf(shown);
    await soon(() => sentSize(shown)).toBe(asSent(own));
    const phone = await rig.open("/?process=tools/size", { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });
    await phone.untilShown("tools/size", /hello/);
    await soon(() => sizeOf(phone)).toBe(`${own}, fit to window`);
    expect(await phone.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await phone.page.getByLabel("Terminal of tools/size").click();
    await phone.page.keyboard.type("x");
    await soon(() => sizeOf(phone)).toMatch(/^\d+×\d+$/);
    const small = await sizeOf(phone);
    expect(small).not.toBe(own);
    await soon(() => sizeOf(shown)).toBe(`${small}, fit to window`);
    await soon(() => sentSize(phone)).toBe(asSent(small));
    await phone.close();
    await soon(() => sizeOf(shown)).toBe(own);
    await soon(() => sentSize(shown)).toBe(asSent(own));
  });

  test("is taken over by a button, too, and released when another view is shown", async () => {
    await soon(() => sizeOf(shown)).toMatch(/^\d+×\d+$/);
    const own = await sizeOf(shown);
    const other = await rig.open("/?process=tools/size", { viewport: { width: 900, height: 600 } });
    await soon(() => sizeOf(other)).toBe(`${own}, fit to window`);
    await other.page.getByRole("button", { name: /fit to window/ }).click();
    await soon(() => sizeOf(shown)).toMatch(/fit to window/);
    await other.run("Overview");
    await soon(() => sizeOf(shown)).toBe(own);
    await other.close();
  });
});

test("the page reported no error", () => {
  expect(rig.complaints).toEqual([]);
});
