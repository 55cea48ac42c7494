import { messageOf } from "../../base/errors.ts";
import type { HostListener } from "../../contract/host-link.ts";
import type { HostLog } from "../../contract/messages.ts";

/**
 * Tells every listener everything, in one order for all: what a listener causes while it is told something comes after
 * it. A listener that throws harms neither the host nor the others.
 */
export class EventPublisher {
  readonly #listeners = new Set<HostListener>();
  readonly #queue: ((listener: HostListener) => void)[] = [];
  readonly #report: (entry: HostLog) => void;
  #isDraining = false;

  constructor(report: (entry: HostLog) => void) {
    this.#report = report;
  }

  listen(listener: HostListener): () => void {
    // A wrapper, so that the same object may listen twice and leave once.
    const own = { ...bound(listener) };
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  tell(message: (listener: HostListener) => void): void {
    this.#queue.push(message);
    if (this.#isDraining) return;
    this.#isDraining = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      for (const listener of this.#listeners) this.#deliver(next, listener);
    }
    this.#isDraining = false;
  }

  #deliver(message: (listener: HostListener) => void, listener: HostListener): void {
    try {
      message(listener);
    } catch (error) {
      this.#report({ level: "error", source: "daemon", msg: `a listener of the host failed: ${messageOf(error)}` });
    }
  }
}

function bound(listener: HostListener): HostListener {
  return {
    onEvent: (event) => listener.onEvent?.(event),
    onHeartbeat: (heartbeat) => listener.onHeartbeat?.(heartbeat),
    onOutput: (chunk) => listener.onOutput?.(chunk),
    onStream: (frame) => listener.onStream?.(frame),
    onLog: (entry) => listener.onLog?.(entry),
  };
}
