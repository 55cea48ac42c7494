import type RFB from "@novnc/novnc";
import { type Signal, signal } from "@preact/signals";
import { messageOf } from "../../../../src/base/errors.ts";
import { withRequestToken } from "../../state/page-meta.ts";
import { displayInfo, infoAddress } from "./display-info.ts";
import { keysymOf, MODIFIERS, strokesOf } from "./keysyms.ts";
import { OwnSizes } from "./own-sizes.ts";

export type ScreenState =
  | { kind: "starting"; text: string }
  | { kind: "open" }
  /** The VNC server of a configured session requires a password; some require a user name, too. */
  | { kind: "password"; hasName: boolean }
  /** The next attempt to connect is automatic. */
  | { kind: "waiting"; reason: string; retryAt: number }
  /** `stopped`: the stopped process that ended it, else null; once that runs again, the display may, too. */
  | { kind: "ended"; reason: string; stopped: string | null };

type Outcome = "starting" | { reason: string; isFinal: boolean; stopped?: string };

export interface DisplayScreenOptions {
  /** Whether the picture is scaled to the window; otherwise it has its own size in pixels. */
  fit: boolean;
  /** Whether the display gets the window size of the viewer that used it last. */
  resize: boolean;
  viewOnly: boolean;
  /** JPEG quality, 0 to 9. */
  quality: number;
}

/** Interval of requests until a display that is starting is ready, ms. */
const POLL_MS = 400;
const RETRY_MS = { first: 1_000, most: 15_000 } as const;
/** Minimum duration of a connection, ms, after which the next attempt follows soon. */
const GOOD_MS = 10_000;

/** One display in one element: connects, and reconnects until it is closed. noVNC itself connects once. */
export class DisplayScreen {
  readonly state: Signal<ScreenState> = signal({ kind: "starting", text: "Connecting …" });
  /** The newest text that was copied in the display. */
  readonly copied = signal("");
  readonly #box: HTMLElement;
  readonly #session: string | null;
  readonly #end = new AbortController();
  readonly #sizes = new OwnSizes();
  readonly #resizes = new ResizeObserver(() => this.#sizes.resized(this.#box.clientWidth, this.#box.clientHeight));
  #options: DisplayScreenOptions;
  readonly #isStopped: (process: string) => boolean;
  /** Process of the display that was shown last. */
  #process = "";
  #rfb: RFB | null = null;
  /** Ends the current pause. */
  #wake: () => void = () => {};

  /**
   * `isStopped`: whether a process has been stopped or has ended by itself. `takesSize`: whether the display gets this window's size at once, not
   * only when it is used here.
   */
  constructor(parts: {
    box: HTMLElement;
    session: string | null;
    options: DisplayScreenOptions;
    isStopped: (process: string) => boolean;
    takesSize: boolean;
  }) {
    this.#isStopped = parts.isStopped;
    this.#box = parts.box;
    this.#session = parts.session;
    this.#options = parts.options;
    if (parts.takesSize) this.#sizes.adopt(parts.box.clientWidth, parts.box.clientHeight);
    this.#resizes.observe(parts.box);
    const { signal: ended } = this.#end;
    const used = () => this.#applySize();
    parts.box.addEventListener("pointerdown", used, { capture: true, signal: ended });
    parts.box.addEventListener("keydown", used, { capture: true, signal: ended });
    parts.box.addEventListener("focusout", () => this.#releaseModifiers(), { signal: ended });
    document.addEventListener("visibilitychange", () => this.#wake(), { signal: ended });
    void this.#run();
  }

  set options(options: DisplayScreenOptions) {
    this.#options = options;
    this.#apply();
  }

  focus(): void {
    this.#rfb?.focus();
  }

  logIn(credentials: { username?: string; password: string }): void {
    this.state.value = { kind: "starting", text: "Connecting …" };
    this.#rfb?.sendCredentials(credentials);
  }

  /** Presses and releases keys that are held together. */
  press(keys: readonly string[]): void {
    for (const { keysym, down } of strokesOf(keys)) this.#rfb?.sendKey(keysym, null, down);
  }

  type(text: string, backspaces = 0): void {
    const keys = [...Array.from({ length: backspaces }, () => "Backspace"), ...text];
    for (const key of keys) this.#rfb?.sendKey(keysymOf(key), null);
  }

  /** Sends a text to the display's clipboard. */
  paste(text: string): void {
    this.#rfb?.clipboardPasteFrom(text);
  }

  /** Connects at once instead of waiting for the next attempt. */
  retry(): void {
    if (this.state.value.kind === "ended") {
      // Set at once: a second call must not start a second series of attempts.
      this.state.value = { kind: "starting", text: "Connecting …" };
      this.#process = "";
      void this.#run();
    } else this.#wake();
  }

  close(): void {
    this.#end.abort();
    this.#resizes.disconnect();
    this.#wake();
    this.#rfb?.disconnect();
  }

  async #run(): Promise<void> {
    let pause: number = RETRY_MS.first;
    while (!this.#end.signal.aborted) {
      const begun = performance.now();
      const outcome = await this.#attempt().catch((error: unknown): Outcome => ({ reason: messageOf(error), isFinal: false }));
      if (this.#end.signal.aborted) return;
      if (outcome === "starting") {
        await this.#pause(POLL_MS);
        continue;
      }
      if (outcome.isFinal) {
        this.state.value = { kind: "ended", reason: outcome.reason, stopped: outcome.stopped ?? null };
        return;
      }
      pause = performance.now() - begun > GOOD_MS ? RETRY_MS.first : Math.min(pause * 2, RETRY_MS.most);
      this.state.value = { kind: "waiting", reason: outcome.reason, retryAt: Date.now() + pause };
      await this.#pause(pause);
      this.state.value = { kind: "starting", text: "Connecting …" };
    }
  }

  /** Connects to the display and shows it. Resolves when it cannot be shown, or is no longer shown. */
  async #attempt(): Promise<Outcome> {
    // A request for the private display starts it: without this check, one that ended because it was idle would start again.
    const process = this.#process;
    if (this.#isStopped(process)) return { reason: `${process} has stopped.`, isFinal: true, stopped: process };
    const info = await displayInfo(withRequestToken(infoAddress(this.#session)), this.#end.signal);
    if (!info.ok) return { reason: info.message, isFinal: info.isFinal };
    this.#process = info.process;
    if (!info.ready) {
      this.state.value = { kind: "starting", text: `Starting ${info.process || "the display"} …` };
      return "starting";
    }
    // noVNC is large, and the rest of the page does not need it.
    const { default: Rfb } = await import("@novnc/novnc");
    if (this.#end.signal.aborted) return { reason: "", isFinal: true };
    return this.#show(new Rfb(this.#box, webSocketAddress(info.path), { shared: true }));
  }

  #show(rfb: RFB): Promise<{ reason: string; isFinal: boolean }> {
    return new Promise((resolve) => {
      let refusal: string | null = null;
      const sizes = new MutationObserver(() => this.#resized());
      this.#rfb = rfb;
      rfb.background = "transparent";
      rfb.addEventListener("connect", () => {
        this.#apply();
        const canvas = this.#box.querySelector("canvas");
        if (canvas) sizes.observe(canvas, { attributes: true, attributeFilter: ["width", "height"] });
        this.state.value = { kind: "open" };
      });
      rfb.addEventListener("clipboard", ({ detail }) => {
        this.copied.value = detail.text;
      });
      rfb.addEventListener("credentialsrequired", ({ detail }) => {
        this.state.value = { kind: "password", hasName: detail.types.includes("username") };
      });
      rfb.addEventListener("securityfailure", ({ detail }) => {
        refusal = `The VNC server refused the connection${detail.reason ? `: ${detail.reason}` : "."}`;
      });
      rfb.addEventListener("disconnect", () => {
        sizes.disconnect();
        this.#rfb = null;
        resolve({ reason: refusal ?? "The connection to the display was lost.", isFinal: refusal !== null });
      });
    });
  }

  #apply(): void {
    const rfb = this.#rfb;
    if (!rfb) return;
    const { fit, resize, viewOnly, quality } = this.#options;
    rfb.viewOnly = viewOnly;
    rfb.scaleViewport = fit;
    rfb.qualityLevel = quality;
    rfb.resizeSession = resize && !viewOnly && this.#sizes.isOwn;
  }

  #applySize(): void {
    if (this.#sizes.isOwn || this.#options.viewOnly) return;
    this.#sizes.adopt(this.#box.clientWidth, this.#box.clientHeight);
    this.#apply();
  }

  #resized(): void {
    const canvas = this.#box.querySelector("canvas");
    if (canvas && this.#sizes.shown(canvas.width, canvas.height)) this.#apply();
  }

  /** Releases modifiers: if a key is released outside of the display, the display would keep it pressed. */
  #releaseModifiers(): void {
    if (!this.#options.viewOnly) for (const [code, keysym] of MODIFIERS) this.#rfb?.sendKey(keysym, code, false);
  }

  /** Waits before the next attempt; a hidden page waits until it is shown. */
  async #pause(milliseconds: number): Promise<void> {
    do {
      await new Promise<void>((resolve) => {
        const timer = document.hidden ? 0 : setTimeout(resolve, milliseconds);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    } while (document.hidden && !this.#end.signal.aborted);
  }
}

const webSocketAddress = (path: string) => `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}${path}`;
