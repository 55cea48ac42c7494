// Takes pictures of the page from the demo: npx tsx scripts/documents/screenshots.ts [--png FOLDER] [SCENE…] (after npm run build).
// Without --png these are the pictures that the documents show, as WebP in docs/screenshots; with it each scene on each device in each
// theme, as PNG in a folder of yours.
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { demo, launchBrowser } from "../../test/e2e/support/demo.ts";
import type { Instance } from "../../test/e2e/support/instance.ts";
import { eventually } from "../../test/e2e/support/wait.ts";
import { ACTS, type Scene } from "./screenshot-scenes.ts";
import { shownPictures } from "./shown-pictures.ts";

const { values, positionals } = parseArgs({ options: { png: { type: "string" } }, allowPositionals: true });
const FOLDER = values.png ?? fileURLToPath(new URL("../../docs/screenshots", import.meta.url));
const DEVICES: Record<string, BrowserContextOptions> = {
  desktop: { viewport: { width: 1200, height: 750 } },
  phone: { viewport: { width: 375, height: 720 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
};
const WEBP_QUALITY = 82;
/** The files that are written; null: all. */
const WANTED = values.png === undefined ? shownPictures() : null;
/** Some pages never come to rest: programs go on writing. */
const REST_MS = 1_500;

/** Where the demo lies, as the pictures show it. */
const BENCH = join(tmpdir(), "bench");

mkdirSync(FOLDER, { recursive: true });
mkdirSync(BENCH);
// Nothing of whoever takes the pictures.
process.env.PATH = "/usr/local/bin:/usr/bin:/bin";
const more = {
  "tools/editor": { command: "vi programs/server.js", environment: { TERM: "xterm-256color" } },
  "gui/terminal": { command: "xterm -geometry 76x18+40+40 -fg white -bg black -e node programs/world.js --rate 8", forward_x11: true },
};
const instance = await demo(more, BENCH);
const browser = await launchBrowser();
try {
  for (const { prepare, scenes } of ACTS) {
    const wanted = scenes.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
    if (wanted.length === 0) continue;
    await prepare(instance);
    for (const [device, options] of Object.entries(DEVICES)) {
      for (const colorScheme of process.env.ONLY ? [process.env.ONLY as "dark"] : (["dark", "light"] as const))
        await pictures(browser, instance, device, { ...options, colorScheme }, wanted);
    }
  }
} finally {
  await browser.close();
  await instance[Symbol.asyncDispose]();
}

/** All scenes of an act on one device in one theme. */
async function pictures(on: Browser, of: Instance, device: string, options: BrowserContextOptions, scenes: Scene[]): Promise<void> {
  for (const { name, path, before, set } of scenes) {
    const file = `${name}-${device}-${options.colorScheme}`;
    if (WANTED?.has(`${file}.webp`) === false) continue;
    const context = await on.newContext({ ...options, extraHTTPHeaders: of.login });
    const page = await context.newPage();
    page.setDefaultTimeout(8_000);
    try {
      await before?.(page);
      await page.goto(new URL(path, of.url).href);
      await page.getByText("connected", { exact: true }).waitFor();
      await set?.(page, { instance: of, device });
      await take(page, file);
    } catch (error) {
      console.error(`${file}: ${String(error)}`);
      process.exitCode = 1;
    }
    await context.close();
  }
}

/** After the page has come to rest: two frames without a change. */
async function take(page: Page, file: string): Promise<void> {
  await page.mouse.move(0, 0);
  let before = "";
  await eventually(
    "the page is at rest",
    async () => {
      const now = String(await page.evaluate("document.body.innerText.length + ' ' + document.querySelectorAll('*').length"));
      await page.waitForTimeout(120);
      if (now === before) return true;
      before = now;
      return false;
    },
    REST_MS,
  ).catch(() => {});
  if (values.png !== undefined) {
    await page.screenshot({ path: join(FOLDER, `${file}.png`), scale: "css" });
    return;
  }
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: WEBP_QUALITY });
  writeFileSync(join(FOLDER, `${file}.webp`), Buffer.from(data, "base64"));
}
