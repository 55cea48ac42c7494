import { type Browser, chromium, type Page } from "playwright-core";
import type { BenchManager } from "./manager.ts";

/**
 * Parts of the browser that are switched off. Each new window loads the code of its address bar, 0.3 s of processor time beside the first page. The
 * others are those that Playwright switches off: Chromium has only one such list.
 */
const DISABLED_FEATURES = [
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"],
  ...["AimEnabled", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "MediaRouter", "NetworkTimeServiceQuerying"],
  ...["OptimizationHints", "PaintHolding", "PreconnectToSearch", "ThirdPartyStoragePartitioning"],
];

/** Debian's Chromium without a graphics card: what a machine with one draws faster, this one draws with the same two cores. */
export function launchBrowser(): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-3d-apis", `--disable-features=${DISABLED_FEATURES.join()}`];
  return chromium.launch({ executablePath: "/usr/bin/chromium", args });
}

/** Names of processes in groups, as a configuration of a large bench has them. */
export const processNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `group ${index % 10}/process ${String(index).padStart(4, "0")}`);

export interface OpenOptions {
  /** Runs in the page before its own scripts. */
  script?: string;
  /** Kept in the browser from an earlier visit, by its name without `mgr.`. */
  settings?: Record<string, unknown>;
}

/** An empty page that may see `origin`, logged in if that is a manager; nothing stands between it and the network. */
export async function newPage(browser: Browser, origin: BenchManager | string, { script, settings = {} }: OpenOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  if (typeof origin !== "string") await context.addCookies([{ name: "mgr_web_session", value: await logIn(origin), url: httpOf(origin) }]);
  const page = await context.newPage();
  const items = Object.entries(settings).map(
    ([name, value]) => `localStorage.setItem("mgr.${name}", ${JSON.stringify(JSON.stringify(value))});`,
  );
  await page.addInitScript(`${items.join("")}${script ?? ""}`);
  return page;
}

export const httpOf = ({ url }: BenchManager): string => url.replace(/^ws/, "http");

async function logIn(manager: BenchManager): Promise<string> {
  const answer = await fetch(httpOf(manager), { headers: { authorization: manager.authorization } });
  await answer.arrayBuffer();
  const cookie = /mgr_web_session=([^;]+)/.exec(answer.headers.get("set-cookie") ?? "")?.[1];
  if (!cookie) throw new Error("the manager gave no session");
  return cookie;
}
