import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ConfigProblem } from "../../../src/config/schema/problems.ts";
import { freePort } from "../../support/free-port.ts";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";

const DEMO = fileURLToPath(new URL("../../../examples/demo/mgr.yaml", import.meta.url));

const MANY = `# Made by a program.\nprocesses:\n${Array.from({ length: 80 }, (_, index) => `  many/p${index}:\n    command: sleep ${index + 1}\n`).join("\n")}`;

let rig: PageRig;
/** The demo's file as it stands, except that it is for this instance, starts nothing, and includes 80 processes. */
let demo: string;
let shown: ShownPage | undefined;
let page: Page;

beforeAll(async () => {
  // A manager that is started again has the same port. The kernel does not give it to another program.
  rig = await PageRig.up({ instance: { manager: `localhost:${freePort()}` }, processes: {} });
  const own = (JSON.parse(rig.instance.read("mgr.yaml")) as { instance: object }).instance;
  demo = readFileSync(DEMO, "utf8")
    .replace(/^instance:\n(?: .*\n)+/m, `instance: ${JSON.stringify(own)}\ninclude: [many.yaml]\n`)
    .replaceAll("autostart: true", "autostart: false");
  write();
  await rig.instance.mgr("reload");
});
afterAll(() => rig?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await rig.ensureUp();
  write();
  await shown?.close();
  shown = await rig.open("/?view=config");
  ({ page } = shown);
  await text().getByText("# A small test bench").waitFor();
});

function write(): void {
  writeFileSync(rig.instance.config, demo);
  writeFileSync(join(rig.instance.dir, "many.yaml"), MANY);
}

const text = () => page.getByLabel("Configuration editor");
const panel = () => page.getByRole("region", { name: "Problems of the configuration" });
const openPanel = () =>
  panel()
    .getByRole("button", { name: /^Problems/ })
    .click();
const said = () => panel().getByRole("status").textContent();
const marked = () => page.locator(".cm-lintRange-error").allTextContents();

async function show(file: string, line: string): Promise<void> {
  await page.getByRole("tab", { name: file }).click();
  await text().getByText(line).first().waitFor();
}

/** Puts a text in the place of all that is in the editor. */
async function replaceAll(content: string): Promise<void> {
  await text().press("Control+a");
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", ${JSON.stringify(content)});
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }`);
}

/** What the panel lists: place and message. */
async function listed(): Promise<string[]> {
  const rows = await panel().locator(".problem").all();
  const shown = await Promise.all(
    rows.map(async (row) => [await row.locator(".problem-place").innerText(), await row.locator(".problem-text").innerText()]),
  );
  return shown.map((row) => row.join(" "));
}

/** What `mgr check` prints of the files on disk, as the panel words it. */
async function checked(): Promise<string[]> {
  const { stdout } = await rig.instance.run("check", "--json");
  const { problems } = JSON.parse(stdout) as { problems: ConfigProblem[] };
  return problems.map(
    ({ file, line, column, path, message }) => `${basename(file)}:${line}:${column} ${path === "" ? "" : `${path}: `}${message}`,
  );
}

test("a character that is typed and deleted leaves no problem in the demo's file, nor in one of 80 processes", async () => {
  for (const [file, line] of [
    ["mgr.yaml", "# A small test bench"],
    ["many.yaml", "# Made by a program."],
  ] as const) {
    await show(file, line);
    await text().click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("x");
    await soon(said).toMatch(/error/);
    await page.keyboard.press("Backspace");
    await soon(said).toBe("No problems");
    expect(await marked()).toEqual([]);
  }
});

test("a broken file shows its problems when it is opened, each marked in the text", async () => {
  writeFileSync(
    join(rig.instance.dir, "many.yaml"),
    MANY.replace("command: sleep 3\n", "comand: sleep 3\n").replace("sleep 9\n", "sleep 9\n    restart: {policy: somtimes}\n"),
  );
  await show("many.yaml", "# Made by a program.");
  const expected = await checked();
  expect(expected.length).toBeGreaterThan(1);
  await soon(said).toBe(`${expected.length} errors`);
  await openPanel();
  await soon(listed).toEqual(expected);
  // Two of them are at the same key.
  await soon(marked).toEqual(["many/p2", "comand", "somtimes"]);
  expect(await shown?.violations()).toEqual([]);
});

test("a save is refused for the problems of the text alone", async () => {
  await replaceAll(demo.replace("ready_timeout: 20s", "ready_timeot: 20s"));
  await page.getByRole("button", { name: "Save" }).click();
  await soon(said).toBe("Not saved: 1 error");
  await soon(marked).toEqual(["ready_timeot"]);
  expect(rig.instance.read("mgr.yaml")).toBe(demo);
});

test("without the manager only the syntax is checked, and all of it again when it is back", async () => {
  await openPanel();
  rig.instance.kill("manager");
  await panel().getByText("Only the YAML syntax is checked").waitFor();
  await replaceAll(demo.replace("ready_timeout: 20s", "ready_timeot: 20s").replace("{ timeout: 5s }", "{ timeout: 5s"));
  await soon(said).toMatch(/error/);
  await soon(async () => (await listed()).every((row) => row.includes("is not valid YAML"))).toBe(true);
  await replaceAll(demo.replace("ready_timeout: 20s", "ready_timeot: 20s"));
  await soon(said).toBe("No problems");
  await rig.ensureUp();
  await soon(listed).toEqual([expect.stringContaining("ready_timeot")]);
});

test("the page reported no error", () => {
  expect(rig.complaints).toEqual([]);
});
