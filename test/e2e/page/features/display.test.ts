import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageRig, type ShownPage, soon } from "../../support/page-rig.ts";

let rig: PageRig;
let shown: ShownPage;
let page: Page;

let terminal: ChildProcess | undefined;

beforeAll(async () => {
  rig = await PageRig.up({ displays: { geometry: "640x480" }, processes: { "gui/clock": { command: "xclock", forward_x11: true } } });
  shown = await rig.open("/");
  ({ page } = shown);
});
afterAll(async () => {
  if (terminal && terminal.exitCode === null && terminal.signalCode === null) {
    terminal.kill("SIGKILL");
    await once(terminal, "exit");
  }
  await rig?.[Symbol.asyncDispose]();
});

const canvas = () => page.locator(".display.open canvas");
/** Share of the display's pixels that are not black: nothing but windows is. */
const litShare = () =>
  page.evaluate<number>(`(() => {
    const canvas = document.querySelector(".display.open canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let lit = 0;
    for (let at = 0; at < data.length; at += 4) if (data[at] + data[at + 1] + data[at + 2] > 60) lit++;
    return lit / (canvas.width * canvas.height);
  })()`);
/** Width and height of the display, then of the element that shows it. */
const sizes = () =>
  page.evaluate<number[]>(`(() => {
    const canvas = document.querySelector(".display.open canvas");
    const { clientWidth, clientHeight } = document.querySelector(".display-box");
    return [canvas.width, canvas.height, clientWidth, clientHeight];
  })()`);

/** An X terminal on the display of the page's user. */
async function openXterm(): Promise<void> {
  const { instance } = rig;
  const { display_name: name, display } = (await (await instance.fetch("/mgr/vnc/info", { headers: instance.login })).json()) as {
    display_name: string;
    display: number;
  };
  const XAUTHORITY = join(dirname(instance.lockOf("manager").socket), `x${display}`, "Xauthority");
  const env = { ...process.env, DISPLAY: name, XAUTHORITY };
  terminal = spawn("xterm", ["-geometry", "60x20+0+0"], { cwd: instance.dir, env, stdio: "ignore" });
}

test("a display is started for the user who opens it, gets the window's size, shows windows and receives input", async () => {
  await shown.run("Your display: graphical programs");
  await canvas().waitFor();
  await page.getByText(/No process uses it yet/).waitFor();
  await openXterm();
  await soon(litShare).toBeGreaterThan(0.02);
  // Opened by a command of the user: it takes the size.
  await soon(async () => {
    const [width, height, ownWidth, ownHeight] = await sizes();
    return width === ownWidth && height === ownHeight;
  }).toBe(true);
  const file = join(rig.instance.dir, "typed by hand");
  // Typed again until it arrives: the window manager may take the window over only now, and the keyboard with it.
  await expect.poll(() => typed(file), { timeout: 60_000, interval: 2_000 }).toBe(true);
});

/** Types a command that creates the file into the xterm; whether the file is there. */
async function typed(file: string): Promise<boolean> {
  await canvas().click({ position: { x: 120, y: 120 } });
  await page.keyboard.type(`touch '${file}'`);
  await page.keyboard.press("Enter");
  return existsSync(file);
}

test("keys of the page are sent from a menu, and Ctrl-Shift-L leaves the display", async () => {
  const file = join(rig.instance.dir, "after the interrupt");
  await canvas().click({ position: { x: 120, y: 120 } });
  // An open quote: without Ctrl-C, no later line is a command.
  await page.keyboard.type("a line that only Ctrl-C ends '");
  await page.getByRole("button", { name: "Send keys" }).click();
  await page.getByRole("menuitem", { name: "Ctrl-C" }).click();
  // Typed again until it arrives: the shell drops what comes while it handles the interrupt.
  await expect.poll(() => typed(file), { timeout: 60_000, interval: 2_000 }).toBe(true);
  await page.keyboard.press("Control+Shift+L");
  await soon(() => page.evaluate("document.activeElement.closest('[role=tree]') !== null")).toBe(true);
});

test("the text panel types into programs that cannot paste", async () => {
  const file = join(rig.instance.dir, "from the panel");
  await page.getByRole("button", { name: "Clipboard", exact: true }).click();
  await page.getByLabel("Text for the display").fill(`touch '${file}'\n`);
  await canvas().hover({ position: { x: 120, y: 120 } });
  await page.getByRole("button", { name: "Type it" }).click();
  await soon(() => existsSync(file)).toBe(true);
  await page.getByRole("button", { name: "Clipboard", exact: true }).click();
});

test("a display server that is killed is shown, and available again with the next connection", async () => {
  const { pid } = await rig.client.process(`displays/${rig.instance.user}`);
  const { length: before } = await shown.notices();
  process.kill(Number(pid), "SIGKILL");
  // Shown for a second, in place of the display: then it is connected again.
  await shown.untilNoticed(/The connection to the display was lost\./, before);
  await canvas().waitFor();
});

test("a display that a user stops stays stopped until the next request", async () => {
  const name = `displays/${rig.instance.user}`;
  await rig.client.ask({ type: "stop_process", name });
  await page.getByText(`${name} has stopped.`).waitFor();
  await soon(async () => (await rig.client.process(name)).state).toBe("stopped");
  await page.getByRole("button", { name: "Connect now" }).click();
  await canvas().waitFor();
});

test("a display that ends by itself, such as an idle one, is not started again by the page", async () => {
  const name = `displays/${rig.instance.user}`;
  const { pid } = await rig.client.process(name);
  // Xvnc ends with exit code 0 then.
  process.kill(Number(pid), "SIGTERM");
  await page.getByText(`${name} has stopped.`).waitFor();
  expect(await rig.client.process(name)).toMatchObject({ state: "stopped", requested_state: "start", exit: { code: 0 } });
  await page.getByRole("button", { name: "Connect now" }).click();
  await canvas().waitFor();
});

test("a stopped display that starts again for a process is shown again", async () => {
  const name = `displays/${rig.instance.user}`;
  await rig.client.ask({ type: "stop_process", name });
  await page.getByText(`${name} has stopped.`).waitFor();
  await rig.client.command({ type: "start_process", name: "gui/clock" });
  await canvas().waitFor();
  await soon(litShare).toBeGreaterThan(0.01);
  await rig.client.command({ type: "stop_process", name: "gui/clock" });
});

test("a process that opens windows offers the display to the page that started it", async () => {
  const other = await rig.open("/?process=gui/clock");
  await other.page.getByRole("button", { name: "Start", exact: true }).click();
  await other.page.getByRole("status").getByText("gui/clock opens its windows on your display.").waitFor();
  await other.page.getByRole("button", { name: "Show it", exact: true }).click();
  await other.page.locator(".display.open canvas").waitFor();
  await other.page.getByRole("button", { name: "Show its windows" }).waitFor();
  // It was not started by this page.
  expect(await page.getByText("gui/clock opens its windows").count()).toBe(0);
  await other.page.close();
});

test("the display view has no axe violations, nor on a phone, and no error on the page", async () => {
  expect(await shown.violations()).toEqual([]);
  const phone = await rig.open("/?view=display", { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });
  await phone.page.locator(".display.open canvas").waitFor();
  expect(await phone.violations()).toEqual([]);
  await phone.close();
  expect(rig.complaints).toEqual([]);
});
