import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { Client } from "./client.ts";
import { type Configuration, Instance } from "./instance.ts";
import { type SharedBrowser, sharedBrowser } from "./shared-browser.ts";
import { eventually } from "./wait.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** An expectation of what a page shows: looked at again until it holds, for a page is drawn after it was told. */
export const soon = <T>(look: () => T | Promise<T>) => expect.poll(look, { timeout: 60_000, interval: 50 });

/**
 * Runs in the page before its own program: keeps the text of each toast and alert, because a slow test may come only after they are gone.
 */
const KEEP_NOTICES = `{
  const notices = (globalThis.notices = []);
  const last = new WeakMap();
  new MutationObserver(() => {
    for (const each of document.querySelectorAll(".toasts > p, [role=alert]")) {
      const text = each.textContent.trim();
      if (text === "" || text === last.get(each)) continue;
      last.set(each, text);
      notices.push(text);
    }
  }).observe(document, { childList: true, subtree: true, characterData: true });
}`;

/** Rules of axe-core for a second theme, when all rules have judged the first: themes differ in colours alone (test/web/themes.test.ts). */
export const RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** Rules of axe-core for what is judged in both themes: all of them in the dark one, which is undefined. */
export const rulesIn = (theme: "dark" | "light") => (theme === "dark" ? undefined : RULES_OF_COLOURS);

/** Evaluated in the page: resolves when what was changed before is drawn. */
const DRAWN = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))";

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** A real manager, and pages that show it, in the browser of this worker. */
export class PageRig implements AsyncDisposable {
  readonly instance: Instance;
  readonly client: Client;
  readonly browser: SharedBrowser;
  /** What pages threw or wrote as errors: has to stay empty. */
  readonly complaints: string[] = [];

  private constructor(parts: { instance: Instance; client: Client; browser: SharedBrowser }) {
    this.instance = parts.instance;
    this.client = parts.client;
    this.browser = parts.browser;
  }

  /** `extra`: variables of the manager's environment. `prepare` fills the state folder. */
  static async up(
    configuration: Configuration,
    extra: Record<string, string> = {},
    prepare: (stateFolder: string) => Promise<void> = async () => {},
  ): Promise<PageRig> {
    const instance = new Instance(configuration);
    Object.assign(instance.extra, extra);
    try {
      await prepare(instance.stateDir);
      // In the background it would be started by a second program; only a manager there is started again.
      if (configuration.instance?.restart_manager === true) await instance.mgr("up", "--detach");
      else await instance.start("up", "--no-output", "-c", instance.config).up();
      return new PageRig({ instance, client: await instance.connect(), browser: await sharedBrowser() });
    } catch (error) {
      await instance[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** A page in a browser of its own, logged in and connected. */
  async open(path = "/", options: BrowserContextOptions = {}): Promise<ShownPage> {
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 800 },
      // A browser without a graphics card computes more for a turning mark than for everything else.
      reducedMotion: "reduce",
      ...options,
      extraHTTPHeaders: options.extraHTTPHeaders ?? this.instance.login,
    });
    await context.addInitScript(KEEP_NOTICES);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("console", (message) => {
      // The browser itself says so when the manager is killed; the page shows it in its own words.
      if (message.type() === "error" && !/ERR_CONNECTION_(REFUSED|RESET)|WebSocket connection/.test(message.text()))
        this.complaints.push(message.text());
    });
    const shown = new ShownPage(page, this.instance);
    await shown.go(path);
    return shown;
  }

  /** Starts the manager again where an earlier test, or the first try of the same one, has left it dead. */
  async ensureUp(): Promise<void> {
    if (this.instance.pidOf("manager") === null) await this.instance.mgr("up", "--detach");
  }

  /** Waits until a process is in a state, also if it has long been. */
  async untilState(name: string, state: string): Promise<void> {
    await eventually(`'${name}' is ${state}`, async () => (await this.client.process(name)).state === state);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.instance[Symbol.asyncDispose]();
  }
}

/** A page of the manager, as a user sees it. */
export class ShownPage {
  readonly page: Page;
  readonly #instance: Instance;

  constructor(page: Page, instance: Instance) {
    this.page = page;
    this.#instance = instance;
  }

  async go(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.#instance.url).href);
    await this.connected();
  }

  /** Shows what an address names as the browser's Back does, without loading the page again, which takes several times as long. */
  async goInPage(path: string): Promise<void> {
    await this.page.evaluate(
      `history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate")); ${DRAWN}`,
    );
    await this.page.getByText("Loading …", { exact: true }).first().waitFor({ state: "hidden" });
  }

  /** Out of sight on a phone that is held sideways. */
  connected(): Promise<void> {
    return this.page.getByText("connected", { exact: true }).waitFor({ state: "attached" });
  }

  /** Texts of the toasts and alerts since the page was loaded, also of those that are gone. */
  notices(): Promise<string[]> {
    return this.page.evaluate("globalThis.notices");
  }

  /** Waits for a toast or an alert, which may be gone already; `from` is how many there were before. */
  async untilNoticed(what: RegExp, from = 0): Promise<void> {
    await soon(async () => (await this.notices()).slice(from).join("\n")).toMatch(what);
  }

  /** Changes the colour scheme of the system, and waits until the page is drawn in it. */
  async turn(colorScheme: "dark" | "light"): Promise<void> {
    await this.page.emulateMedia({ colorScheme });
    await soon(() => this.page.evaluate("document.documentElement.dataset.theme")).toBe(colorScheme);
    await this.drawn();
  }

  /** Waits until what the page has changed before is drawn. */
  async drawn(): Promise<void> {
    await this.page.evaluate(DRAWN);
  }

  /** A row of the tree, which has to be in sight. */
  row(name: string): Locator {
    return this.page.locator(`[role=treeitem][data-name="${name}"]`);
  }

  /** Waits until a row of the tree, which has to be in sight, shows a state. */
  untilRow(name: string, state: string): Promise<void> {
    return this.page.locator(`[role=treeitem][data-name="${name}"][aria-label="${name}, ${state}"]`).waitFor();
  }

  /** Shows a process, or with `group` a group, wherever it stands in the tree. */
  async goTo(name: string, kind: "process" | "group" = "process"): Promise<void> {
    await this.run(kind === "group" ? `Go to group ${name}` : `Go to ${name}`);
  }

  /** Runs an action of the palette by its whole title. */
  async run(title: string): Promise<void> {
    await this.page.keyboard.press("Control+Shift+K");
    const palette = this.page.getByRole("dialog", { name: "Command palette" });
    await palette.getByRole("combobox").fill(title);
    const words = this.page.locator("span").getByText(title, { exact: true });
    await palette.getByRole("option").filter({ has: words }).click();
    await palette.waitFor({ state: "hidden" });
  }

  /** Opens the menu of a button, the first of its name, and chooses an item. */
  async choose(menu: string, item: string): Promise<void> {
    await this.page.getByRole("button", { name: menu, exact: true }).first().click();
    await this.page.getByRole("menu", { name: menu }).getByRole("menuitem", { name: item, exact: true }).click();
  }

  /** The text of a terminal, as far as it is in sight. */
  async textOf(terminal: string): Promise<string> {
    const rows = this.page.getByLabel(`Terminal of ${terminal}`, { exact: true }).locator(".xterm-rows");
    return ((await rows.textContent()) ?? "").replaceAll("\u00a0", " ");
  }

  async untilShown(terminal: string, what: RegExp): Promise<void> {
    let text = "";
    await eventually(`'${terminal}' shows ${what}`, async () => {
      text = await this.textOf(terminal);
      return what.test(text);
    }).catch(async (error: Error) => {
      const toasts = await this.page.locator(".toasts").textContent();
      throw new Error(`${error.message}, but '${text.trim().slice(-400)}'; told: '${toasts}'`);
    });
  }

  /** Pastes into the terminal that is drawn first. */
  paste(text: string): Promise<void> {
    // As text: the tests are compiled without the browser's types.
    return this.page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", ${JSON.stringify(text)});
      const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.querySelector(".xterm-helper-textarea").dispatchEvent(paste);
    }`);
  }

  /** Whether the element with the focus is, or lies in, what a selector finds. */
  hasFocus(selector: string): Promise<boolean> {
    return this.page.evaluate(`document.activeElement?.closest(${JSON.stringify(selector)}) !== null`);
  }

  /** Serious violations that axe-core finds now, of all its rules or of some; `known`: selectors of parts that were examined before. */
  async violations(rules?: readonly string[], known: readonly string[] = []): Promise<string[]> {
    // Typed in, not added as a script: the page's policy refuses scripts of others.
    if (!(await this.page.evaluate("'axe' in window"))) await this.page.evaluate(AXE);
    // Without the selectors of what it finds, a fifth of its time is saved.
    const options = { resultTypes: ["violations"], selectors: false, ...(rules === undefined ? {} : { runOnly: rules }) };
    const exclude = [".xterm", ...known].map((selector) => [selector]);
    // The terminal's own inner elements are xterm.js's; its text is held to the contrast by minimumContrastRatio.
    const { violations } = (await this.page.evaluate(`axe.run(${JSON.stringify({ exclude })}, ${JSON.stringify(options)})`)) as {
      violations: Violation[];
    };
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`);
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}
