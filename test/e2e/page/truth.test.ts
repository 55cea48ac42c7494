import { isDeepStrictEqual } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

let rig: PageRig;
let client: Client;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  const needs = (name: string) => ({ [name]: { condition: "started" } });
  rig = await PageRig.up({
    groups: { jobs: { opened: true }, chain: { opened: true }, tools: { opened: true }, apply: { opened: true } },
    processes: {
      // It runs on after its first failure, and is not stable for as long as the tests take.
      "tools/loop": {
        command: "test -e failed && exec cat || touch failed && exit 3",
        restart: { policy: "on-failure", delay: "10ms", stable_after: "1h" },
        autostart: true,
      },
      "jobs/once": { command: "true", autostart: true },
      "jobs/lasting": { command: ECHO, autostart: true },
      "tools/edit": { command: ECHO, alternate_commands: { other: "cat -u" }, autostart: true },
      "apply/one": { command: ECHO, alternate_commands: { other: "cat -u" }, autostart: true },
      "apply/two": { command: ECHO, alternate_commands: { other: "cat -u" }, autostart: true },
      "apply/same": { command: ECHO, autostart: true },
      "chain/db": { command: ECHO, autostart: true },
      "chain/api": { command: ECHO, depends_on: needs("chain/db"), autostart: true },
      "chain/web": { command: ECHO, depends_on: needs("chain/api"), autostart: true },
    },
  });
  ({ client } = rig);
  await eventually("the loop was restarted", async () => {
    const { state, restarts } = await client.process("tools/loop");
    return state === "started" && restarts === 1;
  });
  await rig.untilState("chain/web", "started");
  shown = await rig.open();
  ({ page } = shown);
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const overview = () => page.getByRole("button", { name: /: overview$/ }).click();
const showDetails = async (of: Page) => {
  const button = of.getByRole("button", { name: "Details  d" });
  if ((await button.getAttribute("aria-pressed")) !== "true") await button.click();
};
const group = (name: string) => page.locator(`[role=treeitem][data-name="${name}"] .count`);

test("a failed process is shown as restarting until it is stable: in the tree, its group, the counts, the overview and its header", async () => {
  await shown.untilRow("tools/loop", "restarting (1×)");
  await shown.untilRow("tools", "restarting");
  await page.locator(".verdict.warn").getByText("1 process is restarting after a failure.").waitFor();
  await page.getByLabel("Needs attention").getByText("Restarted after a failure, not stable yet").waitFor();
  await page.getByRole("button", { name: "1 restarting" }).first().waitFor();
  await shown.goTo("tools/loop");
  await page.locator(".process .chip").getByText("restarting (1×)").waitFor();
});

test("a job that ended with success is shown as completed, and so is its group", async () => {
  await shown.untilRow("jobs/once", "completed");
  await soon(() => group("jobs").getAttribute("data-count")).toBe("2/2");
  await shown.goTo("jobs", "group");
  await page.getByText("2 of 2: 1 running, 1 completed").waitFor();
  await shown.goTo("jobs/once");
  await page.getByText(/^Completed at \d\d:\d\d \(exit code 0\)$/).waitFor();
});

test("the page shows the command that runs, and offers to restart outdated processes", async () => {
  const before = await client.process("tools/edit");
  await shown.goTo("tools/edit");
  const command = page.locator(".terminal-tools code");
  await command.getByText(before.command as string, { exact: true }).waitFor();
  const offer = page.locator(".process").getByRole("button", { name: "Restart edit to apply changes" });
  expect(await offer.count()).toBe(0);
  await client.ask({ type: "set_process_current_alternate_command", name: "tools/edit", which: "other" });
  await offer.waitFor();
  await command.getByText(before.command as string, { exact: true }).waitFor();
  // On its group and on the overview, too.
  await shown.goTo("tools", "group");
  await page.locator(".group").getByText("restart to apply", { exact: true }).waitFor();
  await overview();
  await page.locator(".overview").getByRole("button", { name: "Restart edit to apply changes" }).click();
  await eventually("it runs the other command", async () => (await client.process("tools/edit")).running_command === "cat -u");
  await soon(() => page.locator(".to-apply").count()).toBe(0);
});

test("several outdated processes are restarted together, after a confirmation, and no others", async () => {
  const same = (await client.process("apply/same")).pid;
  for (const name of ["apply/one", "apply/two"]) {
    await client.ask({ type: "set_process_current_alternate_command", name, which: "other" });
  }
  await overview();
  await page.locator(".overview").getByRole("button", { name: "Restart these 2 to apply changes" }).click();
  const question = page.getByRole("dialog", { name: "Restart 2 processes?" });
  await question.getByText("2 processes will restart: apply/one, apply/two.").waitFor();
  await question.getByRole("button", { name: "Restart 2 processes" }).click();
  for (const name of ["apply/one", "apply/two"])
    await eventually(`'${name}' runs the other command`, async () => (await client.process(name)).running_command === "cat -u");
  await soon(() => page.locator(".to-apply").count()).toBe(0);
  expect((await client.process("apply/same")).pid).toBe(same);
});

test("CPU and memory are shown in the table, in the header of a process and in that of its group, while it runs", async () => {
  await shown.goTo("jobs", "group");
  const cells = (name: string) => page.locator(`.members tr[data-key="${name}"]`).locator(".of-cpu, .of-memory").allTextContents();
  const memory = /^\d+(\.\d+)? [KMG]iB$/;
  await soon(() => cells("jobs/lasting")).toEqual([expect.stringMatching(/^\d+\.\d %$/), expect.stringMatching(memory)]);
  expect(await cells("jobs/once")).toEqual(["", ""]);
  await soon(() => page.locator(".group .load-memory").textContent()).toMatch(memory);
  await page.getByRole("button", { name: "Memory", exact: true }).click();
  await soon(() => page.locator(".members th.of-memory").getAttribute("aria-sort")).toBe("ascending");
  await page.getByRole("button", { name: "Memory", exact: true }).click();
  await page.getByRole("button", { name: "Memory", exact: true }).click();
  await shown.goTo("jobs/lasting");
  await soon(() => page.locator(".process .load-memory").textContent()).toMatch(memory);
});

describe("a stop that takes dependents along", () => {
  test("lists them all, before and afterwards; the next start offers to start them again", async () => {
    await shown.goTo("chain/db");
    await page.locator(".process .actions").getByRole("button", { name: "Stop" }).click();
    const question = page.getByRole("dialog", { name: "Stop chain/db?" });
    await question.getByText("chain/api, chain/web").waitFor();
    await question.getByRole("button", { name: "Stop 3 processes" }).click();
    await page.locator(".toasts").getByText("Stopped chain/db, and with it chain/api, chain/web").waitFor();
    await shown.untilRow("chain/db", "stopped");
    await page
      .locator(".process .why")
      .getByText(new RegExp(`^Stopped by ${rig.instance.user} at \\d\\d:\\d\\d$`))
      .waitFor();
    await page.locator(".process .actions").getByRole("button", { name: "Start", exact: true }).click();
    const toast = page.locator(".toasts").getByText(/^Still stopped, since they were stopped with chain\/db: chain\/api, chain\/web/);
    await toast.waitFor();
    // In the place of the offer to undo the stop.
    await page.getByText("Stopped chain/db, and with it chain/api, chain/web").waitFor({ state: "detached" });
    await page.locator(".toasts").getByRole("button", { name: "Start these, too" }).click();
    await shown.untilRow("chain/api", "started");
    await shown.untilRow("chain/web", "started");
  });

  test("is shown with its user in the recent changes", async () => {
    await overview();
    const changes = page.locator(".overview .changes li").filter({ hasText: "chain/db" });
    await changes.waitFor();
    await shown.goTo("chain/db");
    await showDetails(page);
    await page.locator(".details .changes").getByText(`stopped by ${rig.instance.user}`).first().waitFor();
  });
});

test("a window of its own shows the same details; the choice of signals always has its name", async () => {
  const alone = await rig.open("/?process=chain/db&window=1");
  const details = (of: Page) => of.locator(".details .detail-section").allInnerTexts();
  // Times go on, and each page asks for the figures of load at a moment of its own.
  const sections = (texts: string[]) => texts.map((text) => text.replaceAll(/(\d+[smhd] ?)+\b|[\d.]+ (?:%|[KMG]?i?B)/g, "… "));
  await shown.goTo("chain/db");
  for (const each of [page, alone.page]) await showDetails(each);
  await alone.page.locator(".details .runs").waitFor();
  await page.locator(".details .runs").waitFor();
  // Both are read again: some sections come later than others.
  await eventually("both show the same", async () => isDeepStrictEqual(sections(await details(alone.page)), sections(await details(page))));
  const signal = alone.page.getByLabel("Send a signal");
  expect(await signal.locator("option:checked").textContent()).toBe("Signal");
  await signal.selectOption("SIGWINCH");
  expect(await signal.locator("option:checked").textContent()).toBe("Signal");
  await alone.close();
});

test("after a crash of the manager the recent changes continue, with the adopted runs", async () => {
  // Dead already, if this is the second try.
  if (rig.instance.pidOf("manager") !== null) rig.instance.kill("manager");
  await eventually("the manager has ended", () => rig.instance.pidOf("manager") === null);
  await rig.ensureUp();
  // It has another port now.
  shown = await rig.open();
  ({ page } = shown);
  const changes = page.locator(".overview .changes li");
  await changes.filter({ hasText: /jobs\/lasting.*adopted, running since \d\d:\d\d/s }).waitFor();
  await shown.goTo("chain/db");
  await showDetails(page);
  await page.locator(".details .changes").getByText(`stopped by ${rig.instance.user}`).first().waitFor();
});

test("the pages reported no error", () => expect(rig.complaints).toEqual([]));
