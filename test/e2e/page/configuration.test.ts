import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

let rig: PageRig;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  rig = await PageRig.up({
    processes: { "tools/echo": { command: ECHO, autostart: true }, "tools/brief": { command: "sleep 1000" } },
    groups: { tools: { opened: true } },
  });
  // Two files, as people have them.
  const { instance } = rig;
  const main = JSON.parse(instance.read("mgr.yaml")) as Record<string, unknown>;
  writeFileSync(join(instance.dir, "more.yaml"), "processes:\n  more/one:\n    command: sleep 1001\n");
  writeFileSync(instance.config, JSON.stringify({ ...main, include: ["more.yaml"] }, null, 2));
  await instance.mgr("reload");
  shown = await rig.open("/?view=config");
  ({ page } = shown);
});
afterAll(() => rig?.[Symbol.asyncDispose]());
beforeEach(async () => {
  if (rig.instance.pidOf("manager") !== null) return;
  // Another manager has another port.
  await rig.ensureUp();
  await shown.close();
  shown = await rig.open("/?view=config");
  ({ page } = shown);
});

const text = () => page.getByLabel("Configuration editor");
const tab = (name: string) => page.getByRole("tab", { name });
const panel = () => page.getByRole("region", { name: "Problems of the configuration" });
const state = (word: string) => page.locator(".file-state").getByText(word, { exact: true });
const read = (file: string) => readFileSync(join(rig.instance.dir, file), "utf8");

async function edit(from: string, to: string): Promise<void> {
  await text().click();
  await page.keyboard.press("Control+f");
  await page.getByPlaceholder("Find").fill(from);
  await page.getByPlaceholder("Replace").fill(to);
  await page.getByRole("button", { name: "replace all" }).click();
  await page.keyboard.press("Escape");
}

test("the configuration is edited, checked, saved, previewed and reloaded", async () => {
  await text().waitFor();
  await edit('"tools/brief"', '"tools/renamed"');
  await edit('"autostart": true', '"autostrat": true');
  // The squiggle of the published schema comes while typing, without the manager.
  await page.locator(".cm-lintRange-error").first().waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page
    .getByRole("list", { name: "Problems" })
    .getByText(/autostrat/)
    .first()
    .waitFor();
  expect(read("mgr.yaml")).toContain("tools/brief");
  // In the panel alone, with its place: a toast would be gone before it is read.
  await panel().getByText("Not saved: 1 error").waitFor();
  await panel()
    .getByRole("button", { name: /^error .*autostrat.* mgr\.yaml:\d+:\d+$/ })
    .waitFor();
  expect(await page.locator(".toasts").textContent()).toBe("");
  expect(await shown.violations()).toEqual([]);
  await edit('"autostrat": true', '"autostart": true');
  await panel().getByText("No problems", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Reload preview" }).click();
  const plan = page.getByRole("dialog", { name: "Changes that a reload will make" });
  await plan.getByText("tools/renamed").waitFor();
  await plan.getByText("tools/brief").waitFor();
  await state("saved").waitFor();
  await plan.getByRole("button", { name: "Reload", exact: true }).click();
  await shown.row("tools/renamed").waitFor();
  await state("in effect").waitFor();
});

test("a preview lists what starts, what stops, and what changes from what to what", async () => {
  await edit('"sleep 1000"', '"sleep 1234", "restart": {"delay": "3s"}, "autostart": true');
  await state("draft").waitFor();
  await edit('"tools/echo"', '"tools/other"');
  await page.getByRole("button", { name: "Reload preview" }).click();
  const plan = page.getByRole("dialog", { name: "Changes that a reload will make" });
  await plan.getByRole("list", { name: "Starts" }).getByText("tools/other").waitFor();
  await plan.getByRole("list", { name: "Stops, and is removed" }).getByText("tools/echo").waitFor();
  const changes = plan.getByRole("list", { name: "Changes" }).getByRole("listitem").filter({ hasText: "tools/renamed" });
  await changes.getByText("applies at the next start").waitFor();
  expect(await changes.locator(".differences > div").allInnerTexts()).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^command\s+sleep 1000 → sleep 1234$/),
      expect.stringMatching(/^restart\.delay\s+1s → 3s$/),
    ]),
  );
  expect(await shown.violations()).toEqual([]);
  await plan.getByRole("button", { name: "Cancel" }).click();
  await state("saved").waitFor();
  await shown.row("tools/echo").waitFor();
});

test("earlier versions are listed, compared and restored", async () => {
  await page.getByRole("button", { name: "Versions" }).click();
  const versions = page.getByRole("list", { name: "Versions" }).getByRole("listitem");
  await soon(() => versions.count()).toBeGreaterThanOrEqual(3);
  await versions.first().getByText("on disk", { exact: true }).waitFor();
  const effective = versions.filter({ hasText: "in effect" });
  await effective.getByText(`saved by ${rig.instance.user}`).waitFor();
  // The difference is far below in a small window.
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.setViewportSize({ ...size, height: 360 });
  await page.locator(".cm-scroller").evaluate("(scroller) => scroller.scrollTo(0, 0)");
  await effective.getByRole("button", { name: /^Compare with version/ }).click();
  await page.getByText(/^Your text compared with version/).waitFor();
  await page.locator(".cm-deletedChunk").getByText("tools/echo").waitFor();
  await soon(() =>
    page.evaluate(`(() => {
      const seen = document.querySelector(".cm-scroller").getBoundingClientRect();
      const differences = [...document.querySelectorAll(".cm-changedLine, .cm-deletedChunk")].map((one) => one.getBoundingClientRect());
      return differences.some(({ top, bottom }) => bottom > seen.top && top < seen.bottom);
    })()`),
  ).toBe(true);
  await page.setViewportSize(size);
  expect(await shown.violations()).toEqual([]);
  await effective.getByRole("button", { name: /^Restore version/ }).click();
  await state("draft").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await shown.untilNoticed(/^Saved\. This version is in effect\./m);
  await state("in effect").waitFor();
  expect(read("mgr.yaml")).toContain("tools/echo");
  await versions.first().getByText("in effect", { exact: true }).waitFor();
  expect(
    await page.evaluate(`[...document.querySelectorAll(".version-name")].filter((name) => name.scrollWidth > name.clientWidth).length`),
  ).toBe(0);
  await page.getByRole("button", { name: "Close versions" }).click();
});

test("a change by another program is shown, and loaded on request", async () => {
  const text = read("mgr.yaml");
  writeFileSync(rig.instance.config, `${text}\n# by hand\n`);
  await rig.instance.mgr("reload");
  await page.getByRole("button", { name: "Changed on disk. Load it" }).click();
  await page.getByText("# by hand").waitFor();
  await state("in effect").waitFor();
});

test("a problem in another file links to its line", async () => {
  writeFileSync(join(rig.instance.dir, "more.yaml"), "processes:\n  more/one:\n    commnd: sleep 1001\n");
  await page.getByRole("button", { name: "Reload preview" }).click();
  await panel().getByText("Cannot be reloaded: 2 errors").waitFor();
  await panel()
    .getByRole("button", { name: /more\.yaml:3:5$/ })
    .first()
    .click();
  await soon(() => page.getByRole("tab", { name: "more.yaml" }).getAttribute("aria-selected")).toBe("true");
  await soon(() => page.locator(".cm-activeLine").textContent()).toContain("commnd");
  await edit("commnd", "command");
  await page.getByRole("button", { name: "Save" }).click();
  await panel().getByText("No problems", { exact: true }).waitFor();
  await tab("mgr.yaml").click();
  await page.getByText("tools/renamed").first().waitFor();
});

test("at 1024 px no button covers another, and the banner of a lost connection covers no title", async () => {
  await page.setViewportSize({ width: 1024, height: 700 });
  // Their words, too, must not stand out of them.
  const buttons = await page.evaluate(`[...document.querySelectorAll(".config .actions button")].map((button) => {
    const { left, right } = button.getBoundingClientRect();
    return { word: button.innerText.trim(), left, right, isCut: button.scrollWidth > button.clientWidth };
  })`);
  const found = buttons as { word: string; left: number; right: number; isCut: boolean }[];
  expect(found.map(({ word, isCut }) => [word, isCut])).toEqual(
    ["Compare", "Versions", "Save", "Reload preview"].map((word) => [word, false]),
  );
  for (const [index, { right }] of found.entries()) expect(right).toBeLessThanOrEqual(found[index + 1]?.left ?? 1024);
  rig.instance.kill("manager");
  const banner = page.getByRole("alert").filter({ hasText: "Disconnected." });
  await banner.waitFor();
  const bannerBox = await banner.boundingBox();
  for (const title of [
    page.getByRole("heading", { name: "Configuration" }),
    page.getByRole("navigation", { name: "Views" }),
    page.locator(".brand"),
  ]) {
    const box = await title.boundingBox();
    if (!box || !bannerBox) throw new Error("both are shown");
    const isApart =
      box.x + box.width <= bannerBox.x ||
      bannerBox.x + bannerBox.width <= box.x ||
      box.y + box.height <= bannerBox.y ||
      bannerBox.y + bannerBox.height <= box.y;
    expect(isApart).toBe(true);
  }
});

test("the editor completes keys by the published schema", async () => {
  await tab("more.yaml").click();
  await page.getByText("sleep 1001").waitFor();
  await text().click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("    ");
  await page.keyboard.type("autost");
  // By the pointer: CodeMirror takes no key for its list within 75 ms of opening it.
  await page.locator(".cm-tooltip-autocomplete").getByText("autostart").click();
  await page.keyboard.type("true");
  await page.getByText("autostart: true").waitFor();
});

test("unsaved text of each file is kept while another view is open", async () => {
  await tab("mgr.yaml").click();
  await page.getByText("tools/renamed", { exact: false }).first().waitFor();
  await shown.run("Overview");
  await page.getByRole("heading", { name: "No problems." }).waitFor();
  await shown.run("Configuration");
  await tab("more.yaml unsaved").click();
  await page.getByText("autostart: true").waitFor();
  await page.getByRole("button", { name: "Compare" }).click();
  await page.locator(".cm-insertedLine, .cm-changedLine").first().waitFor();
  await page.getByRole("button", { name: "Compare" }).click();
  await page.keyboard.press("Control+s");
  await shown.run("Save configuration file");
  await eventually("it is saved", () => read("more.yaml").includes("autostart: true"));
});

test("a file that was changed elsewhere is overwritten only on confirmation", async () => {
  const dialog = page.getByRole("dialog", { name: "The file has changed on disk" });
  const theirs = () => writeFileSync(join(rig.instance.dir, "more.yaml"), "processes:\n  more/theirs:\n    command: sleep 1002\n");
  const type = async (words: string) => {
    await text().click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type(words);
    await page.keyboard.press("Control+s");
    await dialog.waitFor();
  };
  theirs();
  await type("# first\n");
  await dialog.getByRole("button", { name: "Compare" }).click();
  await page.locator(".cm-deletedChunk").getByText("more/theirs").waitFor();
  expect(read("more.yaml")).toContain("more/theirs");
  await page.getByRole("button", { name: "Compare" }).click();

  writeFileSync(join(rig.instance.dir, "more.yaml"), "processes:\n  more/others:\n    command: sleep 1003\n");
  await type("# second\n");
  await dialog.getByRole("button", { name: "Use version on disk" }).click();
  await page.getByText("more/others").waitFor();
  await state("saved").waitFor();

  theirs();
  await type("# mine\n");
  await dialog.getByRole("button", { name: "Overwrite" }).click();
  await eventually("mine is saved", () => read("more.yaml").startsWith("# mine"));
});

test("two saves at once do not conflict with each other", async () => {
  const own = await rig.open("/?view=config");
  await own.page.getByLabel("Configuration editor").click();
  await own.page.keyboard.press("Control+Home");
  await own.page.keyboard.type("# twice\n");
  await own.page.evaluate(`for (const _ of [1, 2]) document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", { key: "s", keyCode: 83, ctrlKey: true, bubbles: true, cancelable: true }))`);
  await soon(async () => (await own.notices()).filter((text) => text.startsWith("Saved")).length).toBe(2);
  expect(read("mgr.yaml")).toMatch(/^# twice\n/);
  await own.close();
});

test("problems that refuse a save stay visible: the panel does not cover their lines", async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `# line ${index + 1}`).join("\n");
  writeFileSync(join(rig.instance.dir, "more.yaml"), `${lines}\nprocesses:\n  more/one:\n    command: sleep 1001`);
  const own = await rig.open("/?view=config");
  await own.page.getByRole("tab", { name: "more.yaml" }).click();
  await own.page.getByText("# line 1", { exact: true }).waitFor();
  await own.page.getByLabel("Configuration editor").click();
  await own.page.keyboard.press("Control+End");
  await own.page.keyboard.type("\nautostrat: true");
  await own.page.keyboard.press("Control+s");
  const problems = own.page.getByRole("region", { name: "Problems of the configuration" });
  await problems.getByText(/^Not saved: /).waitFor();
  await problems.getByRole("list", { name: "Problems" }).waitFor();
  const edge = async (selector: string, side: "top" | "bottom") =>
    Number(await own.page.evaluate(`document.querySelector("${selector}")?.getBoundingClientRect().${side}`));
  await soon(async () => (await edge(".cm-lintRange-error", "bottom")) <= (await edge(".problems", "top"))).toBe(true);
  expect(await edge(".cm-lintRange-error", "top")).toBeGreaterThan(await edge(".editor", "top"));
  await own.close();
});

test("the page reported no error", () => {
  expect(rig.complaints).toEqual([]);
});
