import { filter, Observable } from "rxjs";
import { NAMED_SUBSCRIPTIONS } from "../features/client.ts";
import type { ClientFrame, ManagerFrame } from "../protocol/frames/frames.ts";
import type { ManagerLink } from "./link/manager-link.ts";

export type OutputFrame = Extract<ManagerFrame, { type: "process_output" }>;

/**
 * Subscriptions of a connection: output patterns, the level of the log, and those that features name. The manager forgets subscriptions with the
 * connection, so they are sent again after a reconnect. A pattern is sent to the manager once, however many listeners it has here.
 */
export class Subscriptions {
  readonly #link: ManagerLink;
  /** Names of processes that have output listeners here, and how many. */
  readonly #listeners = new Map<string, number>();
  /** Patterns that the program subscribed with its own frames. */
  readonly #patterns = new Set<string>();
  /** Frames that begin subscriptions of features, by frame type and name. */
  readonly #named = new Map<string, ClientFrame>();
  #logLevel: ClientFrame | null = null;

  /** `link` must outlive this object. */
  constructor(link: ManagerLink) {
    this.#link = link;
    link.state$.subscribe((state) => {
      if (state.kind === "open") for (const frame of this.#all()) link.send(frame);
    });
  }

  /** Changes a frame of the program so that it does not unsubscribe what listeners need. */
  outgoing(frame: ClientFrame): ClientFrame {
    if (frame.type !== "unsubscribe_process_output") return frame;
    return { ...frame, patterns: frame.patterns.filter((pattern) => !this.#listeners.has(pattern)) };
  }

  /** Records a frame of the program that was accepted. */
  sent(frame: ClientFrame): void {
    if (frame.type === "subscribe_process_output") for (const pattern of frame.patterns) this.#patterns.add(pattern);
    else if (frame.type === "unsubscribe_process_output") for (const pattern of frame.patterns) this.#patterns.delete(pattern);
    else if (frame.type === "set_log_min_level") this.#logLevel = withoutId(frame);
    else if ("name" in frame) this.#keepNamed(frame);
  }

  #keepNamed(frame: ClientFrame & { readonly name?: string }): void {
    for (const { begin, end } of NAMED_SUBSCRIPTIONS) {
      if (frame.type === begin) this.#named.set(`${begin} ${frame.name}`, withoutId(frame));
      else if (frame.type === end) this.#named.delete(`${begin} ${frame.name}`);
    }
  }

  outputOf(name: string): Observable<OutputFrame> {
    return new Observable((subscriber) => {
      const frames = this.#link.frames$.pipe(
        filter((frame): frame is OutputFrame => frame.type === "process_output" && frame.name === name),
      );
      const subscription = frames.subscribe(subscriber);
      const before = this.#listeners.get(name) ?? 0;
      this.#listeners.set(name, before + 1);
      if (before === 0) this.#link.send({ type: "subscribe_process_output", patterns: [name] });
      return () => {
        subscription.unsubscribe();
        const left = (this.#listeners.get(name) ?? 1) - 1;
        if (left > 0) {
          this.#listeners.set(name, left);
          return;
        }
        this.#listeners.delete(name);
        if (!this.#patterns.has(name)) this.#link.send({ type: "unsubscribe_process_output", patterns: [name] });
      };
    });
  }

  #all(): ClientFrame[] {
    const patterns = [...new Set([...this.#listeners.keys(), ...this.#patterns])];
    return [
      ...(patterns.length > 0 ? [{ type: "subscribe_process_output" as const, patterns }] : []),
      ...this.#named.values(),
      ...(this.#logLevel ? [this.#logLevel] : []),
    ];
  }
}

/** Removes the request id: the answer is not awaited. */
function withoutId({ request_id: _, ...frame }: ClientFrame): ClientFrame {
  return frame as ClientFrame;
}
