import { BehaviorSubject, Subject } from "rxjs";
import { messageOf } from "../../base/errors.ts";
import type { ClientFrame, ManagerFrame } from "../../protocol/frames/frames.ts";
import { parseFrame } from "./frame-shape.ts";
import type { ManagerLink, ManagerLinkState } from "./manager-link.ts";
import { SilenceWatch } from "./silence-watch.ts";

/** The common part of browsers' WebSocket and the `ws` package. */
export interface WebSocketLike {
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onerror: ((event: { message?: unknown }) => void) | null;
}

export interface WebSocketLinkOptions {
  /** Opens a socket; called again for each attempt. `fail` ends the attempt with a better reason than the socket provides. */
  open: (fail: (error: Error) => void) => WebSocketLike;
  /** Pauses between attempts, milliseconds; doubled after each failure up to `max`. `false`: no second attempt. */
  retry?: { first: number; max: number } | false;
  /** Whether the first attempt has to succeed, so that a wrong address is reported at once. */
  firstMustSucceed?: boolean;
  /** Returns true for failures that a retry cannot solve (a refused login). */
  isFinal?: (error: Error) => boolean;
  /** A frame that the manager answers: it is sent when nothing was received for long. Left out: `open` detects broken connections. */
  probe?: ClientFrame;
}

const OPEN = 1;
const RETRY = { first: 250, max: 5_000 };
/** A connection that lived this long resets the backoff, milliseconds. */
const STABLE_AFTER_MS = 2_000;
/** Time after which an attempt that is neither opened nor refused has failed, milliseconds. */
const OPEN_TIMEOUT_MS = 15_000;
/** Maximum number of unsent bytes; beyond it nothing more is accepted: the network is slower than the program. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;

export interface WebSocketLink extends ManagerLink {
  /** Starts the next attempt at once. */
  retryNow(): void;
}

/** A link over a WebSocket that reconnects with exponential backoff. */
export function webSocketLink(options: WebSocketLinkOptions): WebSocketLink {
  const frames$ = new Subject<ManagerFrame>();
  const state$ = new BehaviorSubject<ManagerLinkState>({ kind: "connecting", attempt: 1 });
  const retry = options.retry === undefined ? RETRY : options.retry;
  let socket: WebSocketLike | null = null;
  let attempt = 1;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let cancelDeadline = () => {};
  let watch: SilenceWatch | null = null;
  let hasOpened = false;
  let over = false;

  function finish(reason: string, error?: Error): void {
    if (over) return;
    over = true;
    clearTimeout(timer);
    cancelDeadline();
    watch?.close();
    state$.next(error ? { kind: "closed", reason, error } : { kind: "closed", reason });
    frames$.complete();
  }

  function failed(reason: string, error?: Error): void {
    socket = null;
    clearTimeout(timer);
    if (over) return;
    const isFirst = options.firstMustSucceed === true && !hasOpened;
    if (retry === false || isFirst || (error && options.isFinal?.(error))) {
      finish(reason, error);
      return;
    }
    const delay = Math.min(retry.max, retry.first * 2 ** Math.min(attempt - 1, 16));
    state$.next({ kind: "waiting", attempt, retry_ms: delay, reason });
    timer = setTimeout(again, delay);
  }

  function again(): void {
    attempt++;
    dial();
  }

  function dial(): void {
    state$.next({ kind: "connecting", attempt });
    let trouble = "the connection could not be opened";
    let ended = false;
    const end = (reason: string, error?: Error) => {
      if (ended) return;
      ended = true;
      clearTimeout(deadline);
      watch?.close();
      failed(reason, error);
    };
    const deadline = setTimeout(() => {
      const late = socket;
      end(`it was neither opened nor refused within ${OPEN_TIMEOUT_MS} ms`);
      late?.close(1000);
    }, OPEN_TIMEOUT_MS);
    cancelDeadline = () => clearTimeout(deadline);
    try {
      const opened = options.open((error) => end(error.message, error));
      socket = opened;
      opened.onopen = () => {
        // Closed meanwhile, by the deadline or by the caller.
        if (ended || over) return opened.close(1000);
        clearTimeout(deadline);
        hasOpened = true;
        timer = setTimeout(() => {
          attempt = 1;
        }, STABLE_AFTER_MS);
        const { probe } = options;
        if (probe)
          watch = new SilenceWatch({
            ask: () => opened.readyState === OPEN && opened.send(JSON.stringify(probe)),
            broken: () => {
              end("the manager does not answer");
              opened.close(1000);
            },
          });
        state$.next({ kind: "open" });
      };
      opened.onmessage = (event) => {
        watch?.heard();
        if (ended || typeof event.data !== "string") return;
        const frame = parseFrame(event.data);
        if (frame) {
          frames$.next(frame);
          return;
        }
        end("the server at this address does not speak the manager's protocol");
        opened.close(1002);
      };
      opened.onerror = (event) => {
        if (typeof event.message === "string" && event.message !== "") trouble = event.message;
      };
      opened.onclose = (event) => end(event.reason || (event.code === 1006 ? trouble : `closed with code ${event.code}`));
    } catch (error) {
      end(messageOf(error), error instanceof Error ? error : undefined);
    }
  }

  dial();
  return {
    frames$,
    state$,
    get isFull(): boolean {
      return socket !== null && socket.bufferedAmount > MAX_UNSENT_BYTES;
    },
    send(frame: ClientFrame): boolean {
      if (socket === null || socket.readyState !== OPEN || socket.bufferedAmount > MAX_UNSENT_BYTES) return false;
      socket.send(JSON.stringify(frame));
      return true;
    },
    retryNow() {
      if (state$.value.kind !== "waiting") return;
      clearTimeout(timer);
      again();
    },
    close(reason = "closed by this program") {
      const open = socket;
      socket = null;
      finish(reason);
      open?.close(1000);
    },
  };
}
