import type { Principal } from "../../base/access/principal.ts";

/** Answers that stay open (log followers): ended when the manager closes or their user loses access. */
export class Followers {
  readonly #open = new Map<() => void, Belonging>();

  add(belonging: Belonging, end: () => void): () => void {
    this.#open.set(end, belonging);
    return () => this.#open.delete(end);
  }

  end(which: (belonging: Belonging) => boolean): void {
    for (const [end, belonging] of [...this.#open]) {
      if (which(belonging)) end();
    }
  }
}

/** The owner of something that lives longer than its request. */
export interface Belonging {
  /** Null: a program with a token of the bus. */
  readonly principal: Principal | null;
  readonly sessionId: string | null;
}

/** Time for a client to answer the close frame before it is disconnected, ms: a revoked client must not act any longer. */
const CLOSE_GRACE_MS = 1_000;

/** The part of a ws WebSocket that is used here. */
interface ClosableSocket {
  close(code: number, reason: string): void;
  terminate(): void;
  once(event: "close", listener: () => void): unknown;
}

/** The open WebSockets with their sessions and users, to close them when the session or password ends. */
export class OpenWebSockets {
  readonly #open = new Map<ClosableSocket, Belonging>();

  add(ws: ClosableSocket, belonging: Belonging): void {
    this.#open.set(ws, belonging);
    ws.once("close", () => this.#open.delete(ws));
  }

  /** `code`: that of the close frame; default 1008, policy violation. */
  end(which: (belonging: Belonging) => boolean, reason: string, code = 1008): void {
    for (const [ws, belonging] of [...this.#open]) {
      if (!which(belonging)) continue;
      ws.close(code, reason);
      const cut = setTimeout(() => ws.terminate(), CLOSE_GRACE_MS);
      ws.once("close", () => clearTimeout(cut));
    }
  }
}
