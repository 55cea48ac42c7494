import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readMcap } from "../../../features/recordings/samples/mcap/independent-reader.ts";
import { PageRig, type ShownPage, soon } from "../../support/page-rig.ts";

/** The simulated arm of the demo: two topics at 200 Hz. */
const ARM = fileURLToPath(new URL("../../../../examples/demo/programs/arm/", import.meta.url));

let rig: PageRig;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  const program = (name: string) => ({ command: ["node", `${ARM}${name}.js`], ready: { regex: "is (simulated|ready)" }, autostart: true });
  rig = await PageRig.up({ processes: { "arm/simulation": program("simulation"), "arm/controller": program("controller") } });
  await rig.untilState("arm/controller", "ready");
  shown = await rig.open("/?view=topics");
  ({ page } = shown);
  await row("arm/torque").waitFor();
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const row = (key: string) => page.locator(`.data-table tr[data-key="${key}"]`);

describe("recordings", () => {
  const panel = (name: string) => page.getByRole("complementary", { name: `Recording ${name}` });
  let recorded: ReturnType<typeof readMcap>["messages"] = [];
  const confirmed = async (yes: string) => {
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: yes }).click();
    await dialog.waitFor({ state: "detached" });
  };

  test("there are none at first; a form starts one with listed topics and patterns", async () => {
    await page.getByRole("link", { name: /^Recordings/ }).click();
    await page.getByText("No recordings.").waitFor();
    await page.getByRole("button", { name: "Start a recording" }).click();
    const form = page.getByRole("complementary", { name: "Start a recording" });
    expect(await form.getByLabel("Name", { exact: true }).inputValue()).toBe("run-1");
    await form.getByRole("checkbox", { name: /^arm\/joint_states/ }).check();
    const chooser = form.getByLabel("Topic or pattern");
    await chooser.fill("no such topic");
    await form.getByText("No matches.").waitFor();
    await chooser.fill("arm/t*");
    await chooser.press("Enter");
    await form.getByRole("button", { name: "Remove arm/t*" }).waitFor();
    // It is meant by the pattern.
    expect(await form.getByRole("checkbox", { name: /^arm\/torque/ }).isDisabled()).toBe(true);
    await form.getByText("Limits", { exact: true }).click();
    await form.getByLabel("Disk counts as full below, MiB").fill("0");
    await form.getByRole("button", { name: "Start recording" }).click();
    await panel("run-1").getByText("Being written").waitFor();
    await panel("run-1").getByText("arm/joint_states, arm/t*").waitFor();
    expect(await shown.violations()).toEqual([]);
  });

  test("the list shows counters; a recording is stopped, and its file downloaded", async () => {
    const messages = async () => Number((await row("run-1").locator("td").nth(4).textContent())?.replaceAll(",", ""));
    const before = await messages();
    await soon(messages).toBeGreaterThan(before + 100);
    await panel("run-1").getByRole("button", { name: "Stop" }).click();
    await row("run-1").getByText("Stopped").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      panel("run-1")
        .getByRole("button", { name: /^Download/ })
        .click(),
    ]);
    recorded = readMcap(readFileSync(await download.path())).messages;
    expect(recorded.length).toBeGreaterThan(before);
    expect(new Set(recorded.map(({ topic }) => topic))).toEqual(new Set(["arm/joint_states", "arm/torque"]));
  });

  test("a file is plotted: its topics, their fields, values as they were recorded", async () => {
    const scripts = () => page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name).join()");
    // Its packages are loaded only now.
    expect(await scripts()).not.toMatch(/recorded-file-(?!view)/);
    await panel("run-1").getByRole("button", { name: "Plot" }).click();
    const file = page.getByRole("region", { name: "Recording run-1" });
    await file.getByText("arm/joint_states", { exact: true }).click();
    await file.getByRole("button", { name: "position[0]" }).click();
    await file.locator(".plot-box canvas").waitFor();
    expect(await scripts()).toMatch(/recorded-file-(?!view)/);
    const csv = async () => {
      const [download] = await Promise.all([page.waitForEvent("download"), file.getByRole("button", { name: "Save as CSV" }).click()]);
      return readFileSync(await download.path(), "utf8")
        .trim()
        .split("\n");
    };
    const times = recorded.filter(({ topic }) => topic === "arm/joint_states").map(({ logTime }) => String(Number(logTime) / 1e9));
    await soon(async () => (await csv()).slice(1).map((line) => line.split(",")[0])).toEqual([...new Set(times)]);
    const [head, first] = await csv();
    expect(head).toBe("time,arm/joint_states.position[0]");
    expect(first).toMatch(/^[\d.]+,-?\d/);
    expect(await shown.violations()).toEqual([]);
    // The address is that of the file.
    await page.reload();
    await file.getByText("arm/torque", { exact: true }).waitFor();
    await file.getByRole("link", { name: "Recordings" }).click();
  });

  test("is played: a live publisher refuses it by name; under other names it is paused, stepped, sought and stopped by keys", async () => {
    await page.getByRole("button", { name: "run-1", exact: true }).click();
    const play = panel("run-1").getByRole("button", { name: "Play", exact: true });
    await play.click();
    await panel("run-1")
      .getByText(/is published by .*: end it, or choose other topics/)
      .waitFor();
    await panel("run-1").getByText("Options", { exact: true }).click();
    await panel("run-1").getByLabel("Other names").fill("arm/*=old/*");
    await panel("run-1").getByLabel("Begin paused").check();
    await play.click();
    const player = page.getByRole("group", { name: "Player of run-1" });
    const slider = player.getByRole("slider", { name: "Position" });
    await player.getByText("old/joint_states, old/torque").waitFor();
    await player.getByText(/^0 messages/).waitFor();
    await soon(() => slider.evaluate((each) => each.matches(":focus"))).toBe(true);
    await page.keyboard.press("s");
    await player.getByText(/^1 messages/).waitFor();
    await page.keyboard.press("+");
    await player.getByText("×2", { exact: true }).waitFor();
    await page.keyboard.press("l");
    await soon(() => player.getByRole("button", { name: /^Loop/ }).getAttribute("aria-pressed")).toBe("true");
    await page.keyboard.press("End");
    const [, length = ""] = / of (.*)$/.exec((await slider.getAttribute("aria-valuetext")) ?? "") ?? [];
    await soon(() => slider.getAttribute("aria-valuetext")).toBe(`${length} of ${length}`);
    await page.keyboard.press("Home");
    await soon(() => slider.getAttribute("aria-valuetext")).toBe(`0:00.0 of ${length}`);
    await page.keyboard.press(" ");
    await player.getByRole("button", { name: /^Pause/ }).waitFor();
    await soon(async () =>
      Number.parseInt((await player.getByText(/messages/).textContent())?.replaceAll(",", "") ?? "", 10),
    ).toBeGreaterThan(10);
    expect(await shown.violations()).toEqual([]);
    await player.getByRole("button", { name: "Stop the play" }).click();
    await play.waitFor();
  });

  test("is recorded again, and both files come as one", async () => {
    await panel("run-1").getByRole("button", { name: "Record again…" }).click();
    const form = page.getByRole("complementary", { name: "Start a recording" });
    await form.getByText("Limits", { exact: true }).click();
    await form.getByLabel("Disk counts as full below, MiB").fill("0");
    await form.getByRole("button", { name: "Start recording" }).click();
    await panel("run-1").getByText("Being written").waitFor();
    await panel("run-1").getByRole("button", { name: "Stop" }).click();
    await row("run-1").getByText("Stopped").waitFor();
    const button = panel("run-1").getByRole("button", { name: "Download as one file" });
    const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
    expect(download.suggestedFilename()).toBe("run-1.mcap");
    const { messages } = readMcap(readFileSync(await download.path()));
    expect(messages.length).toBeGreaterThan(recorded.length);
    expect(messages.slice(0, recorded.length).map(({ logTime }) => logTime)).toEqual(recorded.map(({ logTime }) => logTime));
  });

  test("is deleted only after a confirmation", async () => {
    const remove = panel("run-1").getByRole("button", { name: "Delete", exact: true });
    await remove.click();
    await confirmed("Cancel");
    await row("run-1").waitFor();
    await remove.click();
    await confirmed("Delete");
    await page.getByText("No recordings.").waitFor();
  });
});

describe("loggers", () => {
  const panel = () => page.getByRole("complementary", { name: "Logger arm" });
  const samples = async () => Number((await row("arm").locator("td.number").first().textContent())?.replaceAll(",", ""));

  test("one is created from the list of topics and started; its samples are counted live", async () => {
    await page.getByRole("link", { name: /^Loggers/ }).click();
    await page.getByText("No loggers.").waitFor();
    await page.getByRole("button", { name: "Make a logger" }).click();
    const form = page.getByRole("complementary", { name: "New logger" });
    await form.getByLabel("Name", { exact: true }).fill("arm");
    await form.getByRole("checkbox", { name: /^arm\/joint_states/ }).check();
    await form.getByLabel("Every n-th sample of arm/joint_states").fill("2");
    await form.getByLabel("Topic", { exact: true }).fill("later");
    await form.getByRole("button", { name: "Add" }).click();
    // It gets the numbers of the one before.
    expect(await form.getByLabel("Every n-th sample of later").inputValue()).toBe("2");
    await form.getByRole("button", { name: "Save and start" }).click();
    await panel().locator("li", { hasText: "later" }).getByText("not receiving").waitFor();
    await row("arm").getByText("1 of 2").waitFor();
    await soon(samples).toBeGreaterThan(20);
    expect(await shown.violations()).toEqual([]);
  });

  test("is changed once it is stopped, keeps its samples until then, and is deleted after a confirmation", async () => {
    expect(await panel().getByRole("button", { name: "Configure…" }).getAttribute("aria-disabled")).toBe("true");
    await shown.run("Stop the logger arm");
    await panel().getByText("Stopped", { exact: true }).waitFor();
    expect(await samples()).toBeGreaterThan(20);
    // The manager collects for ever, until the user cancels.
    await page.route("**/mgr/logger-download?*", () => {});
    await panel().getByRole("button", { name: "Download", exact: true }).click();
    await panel().getByText("Collecting the samples from their hosts…").waitFor();
    await panel().getByRole("progressbar", { name: "Download" }).waitFor();
    await panel().getByRole("button", { name: "Cancel" }).click();
    await panel().getByRole("button", { name: "Download", exact: true }).waitFor();
    await page.unroute("**/mgr/logger-download?*");
    // Less than what was announced is not saved as if it were the whole file.
    await page.route("**/mgr/logger-download?*", (route) => route.fulfill({ body: "half", headers: { "Content-Length": "8" } }));
    await panel().getByRole("button", { name: "Download", exact: true }).click();
    await panel().getByText("The connection ended before the file was complete. Download it again.").waitFor();
    await page.unroute("**/mgr/logger-download?*");
    await panel().getByLabel("Format").selectOption("mcap");
    const save = panel().getByRole("button", { name: "Download", exact: true });
    const [download] = await Promise.all([page.waitForEvent("download"), save.click()]);
    expect(download.suggestedFilename()).toBe("arm.mcap");
    const { messages } = readMcap(readFileSync(await download.path()));
    await soon(samples).toBe(messages.length);
    await save.waitFor();
    await panel().getByRole("button", { name: "Configure…" }).click();
    const form = page.getByRole("complementary", { name: "Configure arm" });
    await form.getByRole("button", { name: "Remove later" }).click();
    await form.getByLabel("Samples kept of arm/joint_states").fill("500");
    await form.getByRole("button", { name: "Save", exact: true }).click();
    await panel()
      .getByText(/of 500$/)
      .waitFor();
    await panel().getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No loggers.").waitFor();
  });
});

test("the page reported no error", () => expect(rig.complaints).toEqual([]));
