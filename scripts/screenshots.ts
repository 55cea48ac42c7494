// Takes the pictures of docs/screenshots from the demo: npx tsx scripts/screenshots.ts (after npm run build).
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { demo, launchBrowser } from "../test/e2e/support/demo.ts";
import { eventually } from "../test/e2e/support/wait.ts";

const FOLDER = fileURLToPath(new URL("../docs/screenshots", import.meta.url));
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

mkdirSync(FOLDER, { recursive: true });
const instance = await demo();
const browser = await launchBrowser();
try {
  const client = await instance.connect();
  // Something has failed, something backs off, the painter has painted.
  await client.command({ type: "start_process", name: "faults/missing" });
  await eventually("the demo shows something", async () => (await client.process("faults/crasher")).restarts > 1, 60_000);
  await client.untilState("faults/crasher", "backoff", client.here);
  for (const scheme of ["dark", "light"] as const) {
    await picture(browser, `overview-${scheme}`, { ...DESKTOP, colorScheme: scheme }, async () => {});
    await picture(browser, `process-${scheme}`, { ...DESKTOP, colorScheme: scheme }, (page) => open(page, "sim/painter"));
  }
  await picture(browser, "phone-dark", { ...PHONE, colorScheme: "dark" }, (page) => open(page, "bench/server"));
} finally {
  await browser.close();
  await instance[Symbol.asyncDispose]();
}

async function picture(on: Browser, name: string, options: BrowserContextOptions, prepare: (page: Page) => Promise<void>): Promise<void> {
  const context = await on.newContext({ ...options, httpCredentials: { username: instance.user, password: instance.password } });
  const page = await context.newPage();
  await page.goto(instance.url);
  await page.getByText("connected", { exact: true }).waitFor();
  await prepare(page);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await context.close();
}

/** The process's terminal with something in it. */
async function open(page: Page, name: string): Promise<void> {
  const drawer = page.getByRole("button", { name: "Show the processes" });
  if (await drawer.isVisible()) await drawer.click();
  await page.locator(`[role=treeitem][data-name="${name}"]`).click();
  const rows = page.locator(".terminal-box .xterm-rows");
  await eventually("the terminal shows something", async () => /\S/.test((await rows.textContent()) ?? ""));
  // Two frames: the size is nudged after the backlog.
  await page.waitForTimeout(500);
}
