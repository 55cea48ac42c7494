import { filter, Observable } from "rxjs";
import type { ManagerFrame } from "../protocol/frames.ts";
import type { Link } from "./link.ts";

export type OutputFrame = Extract<ManagerFrame, { type: "process_output" }>;

/**
 * Live output by process name. The manager knows a pattern once per connection, however many listen here; after a
 * reconnect it is told again.
 */
export class OutputSubscriptions {
  readonly #link: Link;
  readonly #listeners = new Map<string, number>();

  /** `link` has to outlive this. */
  constructor(link: Link) {
    this.#link = link;
    link.state$.subscribe((state) => {
      const patterns = [...this.#listeners.keys()];
      if (state.kind === "open" && patterns.length > 0) link.send({ type: "subscribe_process_output", patterns });
    });
  }

  of(name: string): Observable<OutputFrame> {
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
        this.#link.send({ type: "unsubscribe_process_output", patterns: [name] });
      };
    });
  }
}
