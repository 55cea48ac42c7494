import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Configuration } from "../../support/instance.ts";
import { PageRig, soon } from "../../support/page-rig.ts";
import { ECHO, EXIT_AS_TYPED } from "../../support/shell.ts";

// The page of a user who may look at some processes: what is there, what is disabled, and why.

const EVE = { authorization: `Basic ${Buffer.from("eve:let me in 12").toString("base64")}` };

const configuration = (role: string, on = "sim/*"): Configuration => ({
  groups: { sim: { opened: true }, vault: { opened: true } },
  processes: {
    "sim/world": { command: ECHO, autostart: true, alternate_commands: { other: "sleep 1000" } },
    "sim/brief": { command: EXIT_AS_TYPED, autostart: true, depends_on: { "vault/keyring": {} } },
    "vault/keyring": { command: ECHO, autostart: true },
  },
  access: { users: { eve: [{ role, on }] } },
});

let rig: PageRig;
beforeAll(async () => {
  rig = await PageRig.up(configuration("viewer"));
  appendFileSync(rig.instance.authFile, "eve let me in 12\n");
  await rig.untilState("sim/world", "started");
});
afterAll(() => rig?.[Symbol.asyncDispose]());

/** Views that a viewer of `sim/*` may open. `run`: of the crash. */
const OPEN = (run: string): Readonly<Record<string, string>> => ({
  overview: "/",
  all: "/?view=all",
  log: "/?view=log",
  process: "/?process=sim/world",
  group: "/?group=sim",
  runs: "/?runs=sim/brief",
  search: "/?view=search&q=a",
  merged: "/?merged=*",
  history: "/?history=all",
  starts: "/?view=starts",
  starts_of: "/?start=sim/brief",
  topics: "/?view=topics",
  services: "/?view=services",
  parameters: "/?view=parameters",
  clients: "/?view=clients",
  plot: "/?view=plot",
  crash: `/?crash=sim/brief&run=${run}`,
});

/** Views that need a role on everything, or another one. */
const SHUT: Readonly<Record<string, string>> = {
  config: "/?view=config",
  access: "/?view=access",
  audit: "/?view=audit",
  notifications: "/?view=notifications",
  network: "/?view=network",
  tasks: "/mgr/process-list",
  recordings: "/?view=recordings",
  incidents: "/?view=incidents",
  incident: "/?incident=20261127-120000-h-1",
  recorded: "/?recording=run&host=h&file=f.mcap",
  loggers: "/?view=loggers",
  display: "/?view=display",
  session: "/?session=sim/world",
  "history of a host": "/?history=host&of=h",
};

/** Kinds of views, as the sources of the page declare them. */
function kindsOfViews(): string[] {
  const root = fileURLToPath(new URL("../../../../web/src/", import.meta.url));
  const texts = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) => /\.tsx?$/.test(path));
  const blocks = texts.flatMap((path) => [
    ...readFileSync(root + path, "utf8").matchAll(/interface (?:ViewFields|CoreViews) (?:extends \w+ )?\{([\s\S]*?)\n\s*\}/g),
  ]);
  return [...new Set(blocks.flatMap(([, block = ""]) => [...block.matchAll(/^\s+(\w+): /gm)].map(([, kind = ""]) => kind)))];
}

/** Collects what the manager refuses on a page: error frames, and answers of HTTP. */
function refusalsOn(page: Page): string[] {
  const refused: string[] = [];
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      if (String(payload).includes('"forbidden"')) refused.push(String(payload).slice(0, 300));
    }),
  );
  page.on("response", (response) => {
    if (response.status() === 403) refused.push(response.url());
  });
  return refused;
}

test("a viewer of sim/* walks through every view: nothing is refused, nothing hidden is named, and what is not allowed says why", async () => {
  await rig.untilState("sim/brief", "started");
  await rig.client.command({ type: "send_stdin", name: "sim/brief", text: "3\n" });
  await rig.untilState("sim/brief", "error");
  const crashes = async () => {
    const { reports } = await rig.client.ask({ type: "request_crash_reports", names: ["sim/brief"], limit: 1 });
    return reports as { run_id: string }[];
  };
  await expect.poll(async () => (await crashes()).length).toBe(1);
  const open = OPEN((await crashes())[0]?.run_id ?? "");
  expect(kindsOfViews().filter((kind) => !(kind in open) && !(kind in SHUT))).toEqual([]);

  const shown = await rig.open("/", { extraHTTPHeaders: EVE });
  const { page } = shown;
  const refused = refusalsOn(page);
  await shown.go("/");
  const settled = () => soon(() => page.locator("main").textContent()).not.toMatch(/Loading …|Connecting …|Measuring…|Reading…/);
  const faults: string[] = [];
  for (const [kind, address] of Object.entries(open)) {
    // Those that are refused are loaded below: a page that has just begun does not know its roles yet.
    await shown.goInPage(address);
    await settled();
    if (kind === "process") await page.getByRole("button", { name: "Details d" }).click();
    for (const menu of await page.locator("button[aria-haspopup=menu]:not([aria-disabled=true]):visible").all()) {
      await menu.click();
      await page.getByRole("menu").waitFor();
      if (/vault|keyring/.test(await page.content())) faults.push(`${kind}: a menu names what is hidden`);
      await page.keyboard.press("Escape");
      await page.getByRole("menu").waitFor({ state: "hidden" });
    }
    faults.push(...(await shown.violations()).map((violation) => `${kind}: ${violation}`));
    if (/vault|keyring/.test(await page.content())) faults.push(`${kind}: names what is hidden`);
  }
  for (const [kind, address] of Object.entries(SHUT)) {
    await shown.go(address);
    // The page may not know its roles yet.
    await expect
      .poll(async () => (await page.locator("main .pane-body").textContent())?.trim(), { message: kind })
      .toMatch(/^The view .* needs the role /);
    if (/vault|keyring/.test(await page.content())) faults.push(`${kind}: names what is hidden`);
  }
  expect(faults).toEqual([]);

  await shown.go("/?process=sim/world");
  // Characters do nothing until the terminal is loaded.
  await page.locator(".xterm-rows").waitFor();
  const before = (await shown.notices()).length;
  for (const key of ["c", "t", "e", "m"]) await page.keyboard.press(key);
  for (const view of ["Configuration", "Tasks", "Network", "Notifications"])
    await shown.untilNoticed(new RegExp(`The view ${view} needs the role (admin|viewer) on everything`), before);
  await page.keyboard.press("Control+Shift+K");
  const palette = page.getByRole("dialog", { name: "Command palette" });
  for (const [text, actions] of [
    ["Stop", 0],
    ["Send SIG", 0],
    ["Topics", 1],
    ["Go to sim/world", 1],
  ] as const) {
    await palette.getByRole("combobox").fill(text);
    // Names of processes and views may hold the word as well.
    const begins = new RegExp(`^${text}`);
    const found = async () => (await palette.getByRole("option").allTextContents()).filter((title) => begins.test(title));
    await soon(found).toHaveLength(actions);
  }
  expect(refused).toEqual([]);
  expect(rig.complaints).toEqual([]);
  await shown.close();
});

test("the page shows a viewer of some processes these only, and disables what the role does not allow until a reload gives another one", async () => {
  const shown = await rig.open("/?process=sim/world", { extraHTTPHeaders: EVE });
  const { page } = shown;
  const stop = page.getByRole("button", { name: "Stop", exact: true }).first();
  await soon(() => stop.getAttribute("title")).toMatch(/^Stopping needs the role operator on 'sim\/world'\.$/);
  expect(await stop.getAttribute("aria-disabled")).toBe("true");
  expect(await page.content()).not.toMatch(/vault|keyring/);
  for (const word of ["Configuration", "Network", "Tasks"])
    expect(await page.getByRole("button", { name: word, exact: true }).count()).toBe(0);
  await page.getByRole("button", { name: "Data", exact: true }).click();
  await soon(() => page.getByRole("button", { name: "Publish…" }).getAttribute("title")).toBe(
    "Publishing needs the role operator on everything.",
  );
  for (const word of [/^Recordings/, /^Loggers/]) expect(await page.getByRole("link", { name: word }).count()).toBe(0);
  await page.goBack();
  await page.locator(".xterm-helper-textarea").first().focus();
  await page.keyboard.type("abc");
  await shown.untilNoticed(/Typing needs the role admin/);
  expect(rig.complaints).toEqual([]);

  rig.instance.write(configuration("operator"));
  expect(await rig.client.ask({ type: "reload_config" })).toMatchObject({ ok: true });
  await soon(() => stop.getAttribute("aria-disabled")).toBeNull();
  await stop.click();
  await rig.untilState("sim/world", "stopped");
  expect((await rig.client.process("vault/keyring")).state).toBe("started");

  // A part of the group is hidden now.
  rig.instance.write(configuration("operator", "sim/w*"));
  expect(await rig.client.ask({ type: "reload_config" })).toMatchObject({ ok: true });
  await shown.go("/?group=sim");
  await soon(() => page.locator("main").textContent()).not.toContain("brief");
  await page.getByRole("button", { name: "Start all", exact: true }).click();
  await rig.untilState("sim/world", "started");
  expect((await shown.notices()).filter((text) => text.includes("needs the role"))).toEqual([]);
  await shown.close();
});
