import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
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

const text = () => page.getByLabel("Configuration editor");
const tab = (name: string) => page.getByRole("tab", { name });
const read = (file: string) => readFileSync(join(rig.instance.dir, file), "utf8");

async function edit(from: string, to: string): Promise<void> {
  await text().click();
  await page.keyboard.press("Control+f");
  await page.getByPlaceholder("Find").fill(from);
  await page.getByPlaceholder("Replace").fill(to);
  await page.getByRole("button", { name: "replace all" }).click();
  await page.keyboard.press("Escape");
}

test("is edited, checked, saved, previewed and reloaded", async () => {
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
  await edit('"autostrat": true', '"autostart": true');
  await page.getByRole("button", { name: "Reload …" }).click();
  const plan = page.getByRole("dialog", { name: "Changes that a reload will make" });
  await plan.getByText("tools/renamed").waitFor();
  await plan.getByText("tools/brief").waitFor();
  await plan.getByRole("button", { name: "Reload", exact: true }).click();
  await shown.row("tools/renamed").waitFor();
});

test("completes keys by the published schema", async () => {
  await tab("more.yaml").click();
  await page.getByText("sleep 1001").waitFor();
  await text().click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("    ");
  await page.keyboard.type("autost");
  await page.locator(".cm-tooltip-autocomplete").getByText("autostart").waitFor();
  // CodeMirror takes no key for its list within 75 ms of opening it.
  await page.waitForTimeout(100);
  await page.keyboard.press("Enter");
  await page.keyboard.type("true");
  await page.getByText("autostart: true").waitFor();
});

test("keeps unsaved text of each file while another view is open", async () => {
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

test("that was changed elsewhere is overwritten only on confirmation", async () => {
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
  await eventually("nothing is unsaved", async () => (await page.getByText("unsaved", { exact: true }).count()) === 0);

  theirs();
  await type("# mine\n");
  await dialog.getByRole("button", { name: "Overwrite" }).click();
  await eventually("mine is saved", () => read("more.yaml").startsWith("# mine"));
});

test("saved twice at once it is in no conflict with itself", async () => {
  const own = await rig.open("/?view=config");
  await own.page.getByLabel("Configuration editor").click();
  await own.page.keyboard.press("Control+Home");
  await own.page.keyboard.type("# twice\n");
  await own.page.evaluate(`for (const _ of [1, 2]) document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", { key: "s", keyCode: 83, ctrlKey: true, bubbles: true, cancelable: true }))`);
  await soon(() => own.page.getByText(/^Saved/).count()).toBe(2);
  expect(read("mgr.yaml")).toMatch(/^# twice\n/);
  await own.close();
});

test("the page reported no error", () => {
  expect(rig.complaints).toEqual([]);
});
