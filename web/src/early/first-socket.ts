import type { WebSocketLike } from "../../../src/client/link/websocket-link.ts";

/** The page's first request. */
export const FIRST_REQUEST = { type: "get_snapshot", request_id: "first" } as const;

/** The address of the manager's WebSocket, without a query. */
export const socketAddress = (): string => `${location.origin.replace(/^http/, "ws")}/ws`;

/** Where the script in the page's HTML leaves its socket for the page's code. Undefined: the page's code opens the first socket. */
export const early = globalThis as { mgrFirstSocket?: FirstSocket };

const FIRST_TEXT = JSON.stringify(FIRST_REQUEST);

/**
 * Maximum number of characters that are kept for the page's code; beyond it the connection is closed, and the page's code opens another. The
 * snapshot of a process has a thousand.
 */
const MAX_KEPT_CHARACTERS = 128 * 1024 * 1024;

/**
 * A WebSocket that sends the first request by itself, and keeps the messages that arrive before it is taken. The link that takes it sends this
 * request once more: it is left out, and the kept messages are delivered.
 */
export class FirstSocket implements WebSocketLike {
  onopen: WebSocketLike["onopen"] = null;
  onmessage: WebSocketLike["onmessage"] = null;
  onclose: WebSocketLike["onclose"] = null;
  onerror: WebSocketLike["onerror"] = null;
  readonly #socket: WebSocketLike;
  /** Messages for the page's code. Null: they have been delivered, and later ones are delivered at once, or the connection has ended. */
  #kept: string[] | null = [];
  #keptCharacters = 0;
  #isTaken = false;
  #isOpen = false;
  #closed: { code: number; reason: string } | null = null;

  constructor(socket: WebSocketLike) {
    this.#socket = socket;
    socket.onopen = () => {
      socket.send(FIRST_TEXT);
      this.#isOpen = true;
      if (this.#isTaken) this.onopen?.();
    };
    socket.onmessage = ({ data }) => {
      if (this.#kept === null) this.onmessage?.({ data });
      else if (typeof data === "string") this.#keep(this.#kept, data);
    };
    socket.onerror = (event) => this.onerror?.(event);
    socket.onclose = ({ code, reason }) => {
      this.#closed = { code, reason };
      this.#kept = null;
      if (this.#isTaken) this.onclose?.(this.#closed);
    };
  }

  /** To be called by the only user of the socket, who adds handlers in the same task. They are called from the next task on. */
  take(): this {
    setTimeout(() => {
      this.#isTaken = true;
      if (this.#closed !== null) this.onclose?.(this.#closed);
      else if (this.#isOpen) this.onopen?.();
    });
    return this;
  }

  get readyState(): number {
    return this.#socket.readyState;
  }

  get bufferedAmount(): number {
    return this.#socket.bufferedAmount;
  }

  send(text: string): void {
    if (this.#kept !== null && text === FIRST_TEXT) queueMicrotask(() => this.#deliver());
    else this.#socket.send(text);
  }

  close(code?: number, reason?: string): void {
    this.#socket.close(code, reason);
  }

  #keep(kept: string[], text: string): void {
    this.#keptCharacters += text.length;
    kept.push(text);
    if (this.#keptCharacters <= MAX_KEPT_CHARACTERS) return;
    kept.length = 0;
    this.close(1000, "the page was not loaded in time");
  }

  #deliver(): void {
    const kept = this.#kept ?? [];
    this.#kept = null;
    for (const data of kept) this.onmessage?.({ data });
  }
}
