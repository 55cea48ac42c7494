import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PROCESS_SERIES } from "../../../../src/features/load-history/series.ts";
import { makeUpHistory } from "../../../features/load-history/made-up-history.ts";
import { PageRig, type ShownPage, soon } from "../../support/page-rig.ts";
import { ECHO, sh } from "../../support/shell.ts";

const MEMBERS = ["sim/world", "sim/other"];
/** The greater one is the second; in the last half hour there is a gap. */
const CPU = [10, 40];

let rig: PageRig;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  const until = Date.now();
  const figures = (place: number, time: number) => {
    const age = until - time;
    return age < 1_200_000 && age > 600_000
      ? null
      : PROCESS_SERIES.map((series) => (series === "cpu_percent" ? (CPU[place] ?? 0) : 1_000_000));
  };
  rig = await PageRig.up(
    {
      groups: { sim: { opened: true } },
      processes: {
        "sim/world": { command: ECHO, autostart: true },
        "sim/other": { command: ECHO, autostart: true },
        "sim/broken": { command: sh("exit 3"), autostart: true },
      },
    },
    {},
    (stateFolder) => makeUpHistory({ stateFolder, names: MEMBERS, hours: 0.75, until, figures }),
  );
  await rig.untilState("sim/broken", "error");
  await rig.untilState("sim/world", "started");
  await rig.client.command({ type: "restart_process", name: "sim/world" });
  shown = await rig.open("/?history=processes&of=sim/world", { viewport: { width: 1440, height: 900 } });
  ({ page } = shown);
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const charts = () => page.getByRole("region", { name: /^Charts\./ });
const chart = (title: string) => charts().getByRole("region", { name: title, exact: true });
const parameters = () => new URL(page.url()).searchParams;

/** Drags over a part of the first chart, as fractions of its width. */
async function drag(from: number, to: number): Promise<void> {
  const box = await chart("CPU").locator(".u-over").boundingBox();
  if (box === null) throw new Error("the chart is not drawn");
  await page.mouse.move(box.x + from * box.width, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + ((from + to) / 2) * box.width, box.y + 40);
  await page.mouse.move(box.x + to * box.width, box.y + 40);
  await page.mouse.up();
}

test("the history of a process has charts on one axis, marks of what happened, and says how far back it goes", async () => {
  await page.getByRole("heading", { name: "History of sim/world" }).waitFor();
  await chart("CPU").locator("canvas").waitFor();
  await chart("Memory").locator("canvas").waitFor();
  expect(await chart("Disk I/O").getByText("read").count()).toBe(1);
  await charts().getByRole("list", { name: "Events" }).getByRole("button").first().waitFor();
  await page
    .getByRole("region", { name: "Events in words" })
    .getByText(/requests restart of 'sim\/world'/)
    .waitFor();
  await page.getByText(/^The history begins at .* A point is /).waitFor();
  // A chart on demand.
  await page.getByRole("button", { name: "Threads" }).click();
  await chart("Threads").locator("canvas").waitFor();
  await page.getByRole("button", { name: "Threads" }).click();
  expect(await shown.violations()).toEqual([]);
});

test("a drag zooms, and the address names what is shown; Escape and a double click go back", async () => {
  await drag(0.3, 0.5);
  await soon(() => parameters().has("from")).toBe(true);
  const length = Date.parse(parameters().get("until") ?? "") - Date.parse(parameters().get("from") ?? "");
  expect(Math.abs(length - 720_000)).toBeLessThan(60_000);
  await charts().press("Escape");
  await soon(() => parameters().has("from")).toBe(false);
  await drag(0.2, 0.8);
  await soon(() => parameters().has("from")).toBe(true);
  await page.getByRole("button", { name: "6 h" }).click();
  await soon(() => parameters().get("range")).toBe("6h");
  // The curves of a longer range have bands: until they are drawn anew, a double click may hit what is being replaced.
  await page.getByText(/ A point is 50 s/).waitFor();
  await chart("CPU")
    .locator(".u-over")
    .dblclick({ position: { x: 200, y: 40 } });
  await soon(() => parameters().has("from")).toBe(true);
  await page.getByRole("button", { name: "1 h" }).click();
  await soon(() => parameters().has("from") || parameters().has("range")).toBe(false);
});

test("the keyboard moves the pointer, zooms, and opens the output and the log at a time", async () => {
  await charts().focus();
  await page.keyboard.press("+");
  await soon(() => parameters().has("from")).toBe(true);
  await page.keyboard.press("Escape");
  for (const key of ["ArrowLeft", "ArrowLeft", "Enter"]) await page.keyboard.press(key);
  const place = page.getByRole("region", { name: /^At \d/ });
  await place.getByText("Memory").waitFor();
  await soon(() => page.evaluate("document.activeElement?.textContent")).toMatch(/^Output at \d\d:\d\d:\d\d$/);
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Process sim/world" }).waitFor();
  await soon(() => parameters().get("at")).not.toBeNull();
  await page.goBack();
  // The marks are the events of now; the newest entry until then is marked in the log.
  await page
    .getByRole("region", { name: "Events in words" })
    .getByRole("button", { name: /^\d\d:\d\d/ })
    .first()
    .click();
  await page.getByRole("link", { name: /^Log at/ }).click();
  await page.locator(".entry.is-sought").waitFor();
});

test("the processes of a group are listed with the greediest first, and each leads to its own history", async () => {
  await shown.go("/?history=processes&of=sim");
  const rows = page.getByRole("region", { name: "Processes" }).locator("tbody tr");
  await rows.nth(1).waitFor();
  await soon(() => rows.first().textContent()).toMatch(/^other\d+\.\d %/);
  await page.getByRole("region", { name: "Processes" }).getByRole("button", { name: "Memory" }).click();
  await soon(() => page.getByRole("columnheader", { name: "Memory" }).getAttribute("aria-sort")).toBe("descending");
  await page.getByRole("link", { name: "History of sim/world", exact: true }).click();
  await page.getByRole("heading", { name: "History of sim/world" }).waitFor();
});

test("tables of processes have curves, the overview says what uses up the machine, and details count shared memory once", async () => {
  await shown.go("/?group=sim");
  await page.getByRole("row", { name: /world/ }).getByRole("img", { name: "CPU of the last 10 min" }).waitFor();
  await shown.go("/?view=overview");
  await page.getByRole("button", { name: "What uses up this machine?" }).click();
  const list = page.getByRole("list", { name: "Most memory" });
  await list.getByRole("link", { name: "sim/world", exact: true }).waitFor();
  await list.getByRole("link", { name: "History of sim/world" }).click();
  await page.getByRole("heading", { name: "History of sim/world" }).waitFor();
  await shown.go("/?process=sim/world");
  await page.getByRole("button", { name: "Details d" }).click();
  const details = page.getByRole("complementary", { name: "Details of sim/world" });
  await details.getByText("Proportional (PSS)").waitFor();
  await soon(() => details.getByText(/^[\d.]+ [KM]iB$/).count()).toBeGreaterThan(1);
  expect(rig.complaints).toEqual([]);
});
