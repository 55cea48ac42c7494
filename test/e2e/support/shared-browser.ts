import type { Browser, BrowserContext } from "playwright-core";
import { SHARED_BROWSER_SWITCH } from "../../support/shared-browser-switch.ts";
import { launchBrowser } from "./demo.ts";

/** What a test file uses of the browser of its worker. Closing it closes the contexts that were made with it, and leaves the others. */
export type SharedBrowser = Pick<Browser, "newContext" | "close">;

let launched: Promise<Browser> | null = null;

/**
 * The browser that all test files of this worker use, one after the other: to start one takes a second of a processor. It ends with the worker,
 * which holds its pipe.
 */
export async function sharedBrowser(): Promise<SharedBrowser> {
  const browser = await running();
  const contexts: BrowserContext[] = [];
  return {
    async newContext(options) {
      const context = await browser.newContext(options);
      // Also of pages that open by themselves.
      context.setDefaultTimeout(60_000);
      contexts.push(context);
      return context;
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
    },
  };
}

/** The browser, started again if it has ended. */
async function running(): Promise<Browser> {
  const before = await launched?.catch(() => null);
  if (before?.isConnected()) return before;
  launched = launchBrowser(SHARED_BROWSER_SWITCH);
  return launched;
}
