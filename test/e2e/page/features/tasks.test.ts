import { execFileSync } from "node:child_process";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "../../support/client.ts";
import { PageRig, rulesIn, soon } from "../../support/page-rig.ts";
import { eventually } from "../../support/wait.ts";

const THREADS = 400;
const PROGRAM = `import threading
threading.stack_size(65536)
for n in range(${THREADS} - 1): threading.Thread(target=threading.Event().wait).start()
print("listening", flush=True)`;

let rig: PageRig;
let client: Client;
let pid = 0;

beforeAll(async () => {
  rig = await PageRig.up({
    processes: {
      "sim/threads": { command: ["/usr/bin/python3", "-c", PROGRAM], ready: { regex: "listening" }, autostart: true },
      "tools/sleeper": { command: "sleep 1000", autostart: true },
    },
  });
  ({ client } = rig);
  await rig.untilState("sim/threads", "ready");
  pid = (await client.process("sim/threads")).pid ?? 0;
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const open = async (path: string, options?: BrowserContextOptions): Promise<Page> => (await rig.open(path, options)).page;

const rows = (page: Page) => page.locator("tr[data-key]");
const row = (page: Page, tid: number) => page.locator(`tr[data-key="${pid}:${tid}"]`);
const tids = () =>
  execFileSync("ps", ["-L", "-p", String(pid), "-o", "lwp="], { encoding: "utf8" })
    .trim()
    .split(/\s+/)
    .map(Number);

test("an address shows the threads of a process with the one that it names; only those in view are drawn", async () => {
  const [, , last = 0] = [...tids()].sort((a, b) => b - a);
  const page = await open(`/mgr/process-list?host=localhost&pid=${pid}&tid=${last}`);
  await page.getByText(`${THREADS} threads`).waitFor();
  await page.getByRole("complementary", { name: `Task ${last}` }).waitFor();
  await row(page, last).waitFor();
  expect(await rows(page).count()).toBeLessThan(100);
  await soon(() => row(page, last).getAttribute("aria-selected")).toBe("true");
  await page.context().close();
});

test("the keyboard leads from the process to its threads, to one of them, and to its scheduling", async () => {
  const shown = await rig.open("/?process=sim/threads");
  const { page } = shown;
  await page.getByRole("button", { name: "Processes and threads" }).press("Enter");
  await page.getByText(`${THREADS} threads`).waitFor();
  await soon(() => new URL(page.url()).pathname).toBe("/mgr/process-list");
  await page.getByRole("button", { name: "TID" }).press("Enter");
  await page.getByLabel(/^Filter tasks/).focus();
  // At once, one after the other: no key is lost while rows out of sight are drawn.
  for (const key of ["ArrowDown", "End", "Home", "End", "PageUp", "Home", "ArrowDown"]) await page.keyboard.press(key);
  const [, second = 0] = [...tids()].sort((a, b) => a - b);
  await soon(() => page.evaluate("document.activeElement?.dataset.key")).toBe(`${pid}:${second}`);
  await page.keyboard.press("Enter");
  const form = page.getByRole("form", { name: `Scheduling of thread ${second}` });
  await form.getByLabel("Policy").selectOption("BATCH");
  await form.getByLabel("Nice").fill("4");
  await form.getByLabel("CPUs").fill("0");
  await form.getByRole("button", { name: "Apply" }).press("Enter");
  await shown.untilNoticed(new RegExp(`^Thread ${second} has its new scheduling\\.`, "m"));
  const says = (command: string, ...words: string[]) => execFileSync(command, [...words, String(second)], { encoding: "utf8" });
  expect(says("chrt", "-p")).toContain("SCHED_BATCH");
  expect(says("taskset", "-cp")).toMatch(/: 0$/m);
  await eventually("the list tells it", async () => /BATCH04/.test((await row(page, second).textContent()) ?? ""));
  await page.keyboard.press("Escape");
  await page.getByRole("complementary", { name: /^Task/ }).waitFor({ state: "detached" });
  await page.context().close();
});

test("the focused row keeps the focus when the rows are sorted again, and another one gets it when its task ends", async () => {
  const page = await open(`/mgr/process-list?host=localhost&pid=${pid}`);
  const focused = () => page.evaluate("document.activeElement?.dataset.key");
  await page.getByText(`${THREADS} threads`).waitFor();
  await page.getByRole("button", { name: "TID" }).click();
  await page.getByLabel(/^Filter tasks/).press("ArrowDown");
  await page.keyboard.press("End");
  const last = `${pid}:${Math.max(...tids())}`;
  await soon(focused).toBe(last);
  // By no key and no pointer, which would take the focus along: as when a new list comes.
  await page.evaluate(`[...document.querySelectorAll("th button")].find((one) => one.textContent.startsWith("TID")).click()`);
  await soon(() => page.getByRole("columnheader", { name: "TID" }).getAttribute("aria-sort")).toBe("descending");
  await soon(focused).toBe(last);
  await page.keyboard.press("ArrowDown");
  await soon(focused).not.toBe(last);

  await page.getByRole("button", { name: "Threads" }).click();
  await page.getByLabel(/^Filter tasks/).fill("process!=");
  await page.getByText("2 processes", { exact: true }).waitFor();
  const { pid: sleeper } = await client.process("tools/sleeper");
  await page.locator(`tr[data-key="${sleeper}:${sleeper}"]`).focus();
  await client.command({ type: "stop_process", name: "tools/sleeper" });
  await page.getByText("1 process", { exact: true }).waitFor();
  await soon(focused).toBe(`${pid}:${pid}`);
  await client.command({ type: "start_process", name: "tools/sleeper" });
  await page.context().close();
});

test("a paused list is refreshed on request while a request is pending", async () => {
  const page = await open(`/mgr/process-list?host=localhost&pid=${pid}`);
  await page.getByText(`${THREADS} threads`).waitFor();
  await page.evaluate(`{
    globalThis.questions = 0;
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (frame) {
      send.call(this, frame);
      if (String(frame).includes("request_process_list") && ++questions === 1) document.querySelector("[aria-label='Refresh']").click();
    };
    const pace = document.querySelector("[aria-label='Refresh interval']");
    pace.value = "0";
    pace.dispatchEvent(new Event("change", { bubbles: true }));
  }`);
  await soon(() => page.evaluate("questions")).toBe(2);
  await page.context().close();
});

test("text that is typed while a change is applied is kept", async () => {
  const shown = await rig.open(`/mgr/process-list?host=localhost&pid=${pid}`);
  const { page } = shown;
  const nice = page.getByRole("form", { name: `Scheduling of thread ${pid}` }).getByLabel("Nice");
  await nice.fill("3");
  // Both in one task: no answer can come between.
  await nice.evaluate((input: unknown) => {
    const { form } = input as { form: { requestSubmit: () => void } };
    form.requestSubmit();
    Object.assign(input as object, { value: "5" });
    (input as EventTarget).dispatchEvent(new Event("input", { bubbles: true }));
  });
  await shown.untilNoticed(new RegExp(`^Thread ${pid} has its new scheduling\\.`, "m"));
  await soon(() => nice.inputValue()).toBe("5");
  expect(execFileSync("ps", ["-p", String(pid), "-o", "nice="], { encoding: "utf8" }).trim()).toBe("3");
  await page.context().close();
});

test("a refusal of the kernel is shown where the change was requested", async () => {
  const page = await open(`/mgr/process-list?pid=${pid}`);
  const form = page.getByRole("form", { name: `Scheduling of thread ${pid}` });
  await form.getByLabel("CPUs").fill("8000");
  await form.getByRole("button", { name: "Apply" }).click();
  await form.getByText(/EINVAL/).waitFor();
  await form.getByLabel("CPUs").fill("one");
  await form.getByRole("button", { name: "Apply" }).click();
  await form.getByText(/numbers and ranges/).waitFor();
  await page.context().close();
});

test("the filter is evaluated at the host, words on the page; a wrong filter is an error; columns sort both ways", async () => {
  const page = await open("/mgr/process-list");
  const filter = page.getByLabel(/^Filter tasks/);
  await filter.fill("process==tools/sleeper");
  await page.getByText("1 process", { exact: true }).waitFor();
  await page.getByRole("link", { name: "tools/sleeper" }).waitFor();
  await filter.fill("process!= python3");
  await page.getByText("1 process of 2", { exact: true }).waitFor();
  await filter.fill("pid>many");
  await page.getByText(/holds numbers/).waitFor();
  await filter.fill("process!=");
  await page.getByText(/^2 processes$/).waitFor();
  const order = async () => (await rows(page).allTextContents()).map((text) => (text.includes("tools/sleeper") ? "sleeper" : "threads"));
  await page.getByRole("button", { name: /^Memory/ }).click();
  await eventually("the largest is first", async () => (await order())[0] === "threads");
  await page.getByRole("button", { name: /^Memory/ }).click();
  await eventually("the smallest is first", async () => (await order())[0] === "sleeper");
  await soon(() => page.getByRole("columnheader", { name: /^Memory/ }).getAttribute("aria-sort")).toBe("ascending");
  await page.context().close();
});

test("the process list has no serious accessibility violation in either theme", async () => {
  const shown = await rig.open(`/mgr/process-list?pid=${pid}`);
  await shown.page.getByRole("complementary", { name: `Task ${pid}` }).waitFor();
  for (const theme of ["dark", "light"] as const) {
    await shown.turn(theme);
    expect(await shown.violations(rulesIn(theme)), theme).toEqual([]);
  }
  await shown.close();
});

test("the process list fits a phone", async () => {
  const phone = await open("/mgr/process-list", { viewport: { width: 375, height: 720 }, isMobile: true, hasTouch: true });
  // Not the busiest of the machine, which may be gone by the next look.
  await phone.getByLabel(/^Filter tasks/).fill("process==tools/sleeper");
  await phone.getByRole("link", { name: "tools/sleeper" }).waitFor();
  await rows(phone).first().click();
  const panel = phone.getByRole("complementary", { name: /^Task/ });
  // Over the whole table: half of a phone is too narrow for a form.
  await soon(async () => (await panel.boundingBox())?.width).toBeGreaterThanOrEqual(370);
  expect(await phone.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(375);
  await phone.context().close();
});

test("the page reported no error", () => {
  expect(rig.complaints).toEqual([]);
});
