import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { PageRig, rulesIn, type ShownPage, soon } from "../support/page-rig.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

/** Hosts whose daemons never come, besides the one that does. */
const AWAY = 30;

let rig: PageRig;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  // The next manager has the same port. The kernel does not give it to another program.
  const manager = `localhost:${freePort()}`;
  rig = await PageRig.up({ instance: { manager }, processes: { "sim/here": { command: ECHO, autostart: true } } });
  const { instance } = rig;
  const main = JSON.parse(instance.read("mgr.yaml")) as Record<string, unknown> & { processes: object };
  writeFileSync(join(instance.dir, "arm.token"), "a-secret-of-two-machines-0123456789\n", { mode: 0o600 });
  const away = Array.from({ length: AWAY }, (_, index) => [`away${String(index).padStart(2, "0")}`, { token_file: `away${index}.token` }]);
  const hosts = { arm: { token_file: "arm.token" }, ...Object.fromEntries(away) };
  const processes = {
    ...main.processes,
    "far/one": { command: ECHO, node: "arm", autostart: true },
    "far/two": { command: ECHO, node: "away00" },
  };
  writeFileSync(instance.config, JSON.stringify({ ...main, groups: { far: { opened: true } }, hosts, processes }));
  await instance.mgr("reload");
  shown = await rig.open();
  ({ page } = shown);
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const daemon = (url = rig.instance.url) =>
  rig.instance.start(
    ...["daemon", "--host", "arm", "--bus", url.replace(/^http/, "ws"), "--token-file", join(rig.instance.dir, "arm.token")],
    ...["--resume", "--state-dir", join(rig.instance.dir, "state-arm"), "--cwd", rig.instance.dir],
  );

test("lost hosts are listed first, and the rest is counted; the status bar shows how many", async () => {
  await page.getByRole("heading", { name: `${AWAY + 1} hosts are not connected.` }).waitFor();
  const rows = page.locator(".hosts li");
  await soon(() => rows.count()).toBe(12);
  for (const text of await rows.allTextContents()) expect(text).toMatch(/lost|not connected/);
  await page.getByText(`and ${AWAY + 2 - 12} more, ${AWAY + 1 - 12} of them lost`).waitFor();
  await page.getByText(`${AWAY + 1} of ${AWAY + 2} hosts lost`).waitFor();
});

test("a new host is shown without a reload, and its processes start; a removed one disappears", async () => {
  const { child } = daemon();
  await page.getByRole("heading", { name: `${AWAY} hosts are not connected.` }).waitFor();
  await rig.untilState("far/one", "started");
  await shown.untilRow("far/one", "started");
  await shown.goTo("far/one");
  await shown.untilShown("far/one", /hello/);
  // Silent: what it runs is known as of now only.
  child.kill("SIGSTOP");
  const row = shown.row("far/one");
  await soon(() => row.getAttribute("aria-label")).toMatch(/^far\/one, lost as of \d\d:\d\d$/);
  await row.locator(".mark-lost").waitFor();
  await soon(() => shown.row("far").getAttribute("aria-label")).toBe("far, lost");
  await page.getByText(/^Started as of \d\d:\d\d: host arm is not connected$/).waitFor();
  child.kill("SIGCONT");
  await shown.untilRow("far/one", "started");
  child.kill("SIGTERM");
  await page
    .getByText(/host arm is not connected|Failed: /)
    .first()
    .waitFor();
  await shown.run("Overview");
  await page.getByText(`${AWAY + 1} of ${AWAY + 2} hosts lost`).waitFor();
});

test("a group in a window of its own shows which host each member runs on", async () => {
  const window = await rig.open("/?group=far&window=1");
  const row = (name: string) => window.page.locator(`.members tr[data-key="${name}"] .of-host`);
  await window.page.getByRole("columnheader", { name: "Host" }).waitFor();
  await soon(() => row("far/one").textContent()).toBe("arm");
  await soon(() => row("far/two").textContent()).toBe("away00");
  await window.close();
});

test("a host links to its processes", async () => {
  await page.getByRole("button", { name: "away00", exact: true }).click();
  await soon(() => page.getByLabel(/^Filter processes/).inputValue()).toBe("host:away00");
  await soon(() => page.locator("[role=treeitem]").count()).toBe(2);
  await page.getByLabel(/^Filter processes/).fill("");
});

test("many hosts cause no accessibility violation in either theme, and fit a phone", async () => {
  const phone = await rig.open("/", { viewport: { width: 375, height: 720 }, isMobile: true, hasTouch: true });
  await phone.page.getByText(/^and \d+ more, \d+ of them lost$/).waitFor();
  for (const theme of ["dark", "light"] as const) {
    await phone.turn(theme);
    expect(await phone.violations(rulesIn(theme)), theme).toEqual([]);
    expect(await phone.page.evaluate("document.documentElement.scrollWidth"), theme).toBeLessThanOrEqual(375);
  }
  await phone.close();
});

test("a host that acted alone says so in its row, in each theme and on a phone", async () => {
  const { instance } = rig;
  const { url } = instance;
  const main = JSON.parse(instance.read("mgr.yaml")) as {
    instance: object;
    hosts: Record<string, object>;
    processes: Record<string, object>;
  };
  const { "far/two": _two, ...processes } = main.processes;
  // Without the lost hosts, which come first. The next manager has the same address.
  const configuration = {
    ...main,
    instance: { ...main.instance, manager: `localhost:${new URL(url).port}` },
    hosts: { arm: main.hosts.arm },
    processes,
  };
  writeFileSync(instance.config, JSON.stringify(configuration));
  await instance.mgr("reload");
  instance.kill("manager");
  await page.getByText(/connection lost, trying again/).waitFor();
  daemon(url);
  const log = join(instance.dir, "state-arm", "daemon.log");
  await eventually("the host has started its process", () => readFileSync(log, "utf8").includes("started 'far/one' without a manager"));
  await instance.mgr("up", "--detach");
  await shown.connected();
  const remark = page.locator(".hosts li .host-remark");
  await soon(() => remark.textContent()).toMatch(/^1 process resumed after a restart of its daemon at \d\d:\d\d$/);
  expect(await instance.mgr("ps").then(({ stderr }) => stderr)).toMatch(/host arm: 1 process resumed after a restart of its daemon at /);
  for (const [colorScheme, width] of [
    ["dark", 1_280],
    ["light", 1_280],
    ["dark", 375],
    ["light", 375],
  ] as const) {
    await page.setViewportSize({ width, height: 720 });
    await shown.turn(colorScheme);
    const { right, isCut } = await remark.evaluate((element) => ({
      right: element.getBoundingClientRect().right,
      isCut: element.scrollWidth > element.clientWidth,
    }));
    expect(right).toBeLessThanOrEqual(width);
    expect(isCut).toBe(false);
    expect(await shown.violations(rulesIn(colorScheme))).toEqual([]);
  }
}, 480_000);

test("the page reported no error", () => {
  expect(rig.complaints).toEqual([]);
});
