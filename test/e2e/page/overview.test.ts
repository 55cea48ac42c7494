import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";
import { ECHO, sh } from "../support/shell.ts";

const FAILED = 40;
/** They fail until the file is there. */
const arm = (number: number) => sh(`test -e repaired && exec cat; echo looking for device; echo "error: no device ${number}"; exit 3`);
const nameOf = (number: number) => `fleet/arm${String(number).padStart(2, "0")}`;

let rig: PageRig;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  const arms = Array.from({ length: FAILED }, (_, number) => [nameOf(number), { command: arm(number), autostart: true }]);
  rig = await PageRig.up({
    groups: { fleet: { opened: false } },
    processes: {
      ...Object.fromEntries(arms),
      "tools/echo": { command: ECHO, autostart: true },
      "tools/other": { command: sh("echo broken pipe; exit 7"), autostart: true },
    },
  });
  for (let number = 0; number < FAILED; number++) await rig.untilState(nameOf(number), "error");
  await rig.untilState("tools/other", "error");
  shown = await rig.open("/", { viewport: { width: 1440, height: 900 } });
  ({ page } = shown);
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const attention = () => page.getByRole("list", { name: "Needs attention" });
const group = () => attention().getByRole("button", { name: `${FAILED} failed: exit code 3` });

describe("many failed processes", () => {
  test("with the same cause are one row, with the last output of one; a single one has its own row", async () => {
    await page.getByRole("heading", { name: `${FAILED + 1} processes need attention.` }).waitFor();
    await group().waitFor();
    await soon(() => attention().locator("> li").count()).toBe(2);
    await attention()
      .locator(".last-output")
      .getByText(/^error: no device \d+$/)
      .waitFor();
    await attention().locator("li", { hasText: "tools/other" }).getByText("broken pipe").waitFor();
  });

  test("are opened by the keyboard, each with its own last output", async () => {
    await group().focus();
    await page.keyboard.press("Enter");
    await soon(() => group().getAttribute("aria-expanded")).toBe("true");
    const rows = page.getByRole("list", { name: `${FAILED} failed: exit code 3` }).getByRole("listitem");
    await soon(() => rows.count()).toBe(FAILED);
    await rows
      .filter({ hasText: nameOf(17) })
      .getByText("error: no device 17", { exact: true })
      .waitFor();
    expect(await shown.violations()).toEqual([]);
    await page.keyboard.press("Enter");
    await soon(() => group().getAttribute("aria-expanded")).toBe("false");
  });

  test("do not push the hosts and their load out of view", async () => {
    await group().click();
    const hosts = page.getByRole("list", { name: "Hosts" });
    await hosts.getByText(/^CPU \d/).waitFor();
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await attention()
        .getByText(nameOf(FAILED - 1))
        .scrollIntoViewIfNeeded();
      // Whether it is really seen: not below, and not under something else.
      await soon(() =>
        page.evaluate(`(() => {
          const box = document.querySelector(".host-load").getBoundingClientRect();
          return document.elementFromPoint(box.left + 4, box.top + box.height / 2)?.closest(".hosts") !== null && box.top >= 0;
        })()`),
      ).toBe(true);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await group().click();
  });
});

test("all states are in one row at 1440 px, and none is cut at 1440, 1024 and 390 px", async () => {
  const rowsAt = async (width: number) => {
    await page.setViewportSize({ width, height: 800 });
    return page.evaluate(`new Set([...document.querySelectorAll(".count-tile")].map((tile) => tile.getBoundingClientRect().top)).size`);
  };
  const cut = () =>
    page.evaluate(
      `[...document.querySelectorAll(".count-word")].filter((word) => word.scrollWidth > word.clientWidth).map((word) => word.textContent)`,
    );
  for (const [width, rows] of [
    [390, 2],
    [1024, 1],
    [1440, 1],
  ] as const) {
    await soon(() => rowsAt(width)).toBe(rows);
    expect(await cut()).toEqual([]);
  }
});

test("a host's counts and load are separate, and a long cause leaves room for the last output", async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page
    .getByRole("list", { name: "Hosts" })
    .getByText(/^CPU \d/)
    .waitFor();
  // Long values are put in and measured in one turn: the page draws nothing in between.
  const [gap, room] = (await page.evaluate(`(() => {
    const put = (element, text) => {
      const node = element.firstChild;
      const before = node.data;
      node.data = text;
      return () => { node.data = before; };
    };
    const count = document.querySelector(".host-count");
    const why = [...document.querySelectorAll(".trouble-row .why")].at(-1);
    const back = [put(count, "120 of 300 running"), put(why, "Failed: crash loop: restarted 8 times within 300 s, at last exited with code 1")];
    const box = (element) => element.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(count);
    const found = [box(document.querySelector(".host-load")).left - box(range).right, box(why.parentElement.querySelector("code")).width];
    for (const undo of back) undo();
    return found;
  })()`)) as [number, number];
  expect(gap).toBeGreaterThan(4);
  expect(room).toBeGreaterThan(60);
});

test("recent changes have a small timeline each, with one legend", async () => {
  const row = page.locator(".recent .changes li").filter({ hasText: "tools/other" });
  await row.getByRole("img", { name: /^States since .*error$/ }).waitFor();
  expect(await page.locator(".recent").getByRole("list", { name: "Legend" }).getByRole("listitem").allTextContents()).toContain("error");
});

test("all that failed are restarted after a confirmation, and can be stopped together again", async () => {
  await shown.run("Restart all failed processes");
  const question = page.getByRole("dialog", { name: `Restart ${FAILED + 1} failed processes?` });
  await question.getByText(/^41 processes will start: fleet\/arm00, .* and 35 more\.$/).waitFor();
  await question.getByRole("button", { name: "Cancel" }).click();
  await group().waitFor();
  // From now on they run; the other one fails again.
  writeFileSync(join(rig.instance.dir, "repaired"), "");
  await page.getByRole("button", { name: `Restart all failed (${FAILED + 1})` }).click();
  await question.getByRole("button", { name: `Restart ${FAILED + 1} processes` }).click();
  const offer = page.getByRole("button", { name: "Stop these again" });
  // The offer stays as long as the pointer is on it.
  await offer.hover();
  await page.getByRole("heading", { name: "1 process needs attention." }).waitFor();
  for (let number = 0; number < FAILED; number++) await rig.untilState(nameOf(number), "started");
  await offer.click();
  await page.getByRole("button", { name: /^Stop \d+ processes$/ }).click();
  for (let number = 0; number < FAILED; number++) await rig.untilState(nameOf(number), "stopped");
  expect((await rig.client.process("tools/echo")).state).toBe("started");
});

test("the page reported no error", () => expect(rig.complaints).toEqual([]));
