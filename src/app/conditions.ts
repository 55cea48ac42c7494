import { Publisher } from "../base/publisher.ts";

/** A problem that lasts from when it is raised until it is cleared, such as a process that failed, or a full disk. */
export interface Condition {
  /** The problem: lower-case words joined by `_`, such as `output_silent`. */
  readonly kind: string;
  /** The process that it is about; null: none in particular. */
  readonly process: string | null;
  /** The host that it is about, or the host of the process; null: none. */
  readonly host: string | null;
  /** Distinguishes several conditions of a kind about the same process or host; omitted: there is only one. */
  readonly key?: string;
  /** A sentence for people without a full stop. It may quote what a program wrote. */
  readonly text: string;
}

/** How a condition ends: what is wrong is good again, or the question no longer arises, as for a process that was stopped. */
export type ConditionEnd = "recovered" | "ended";

export type ConditionChange =
  | { readonly kind: "raised"; readonly id: string; readonly condition: Condition }
  | { readonly kind: "cleared"; readonly id: string; readonly condition: Condition; readonly end: ConditionEnd };

/** Maximum number of conditions at a time: those beyond are counted as not raised. */
const MAX_CONDITIONS = 20_000;

/** The conditions of this instance. Features raise and clear them without knowing which others read them. */
export class Conditions {
  readonly #present = new Map<string, Condition>();
  readonly #changes: Publisher<ConditionChange>;
  readonly #sources: (() => () => void)[] = [];
  readonly #running: (() => void)[] = [];
  #readers = 0;

  constructor(onError: (error: unknown) => void) {
    this.#changes = new Publisher(onError);
  }

  /** Raises a condition. One that is raised already keeps its beginning; readers get another text. */
  raise(condition: Condition): void {
    const id = conditionId(condition);
    const known = this.#present.get(id);
    if (known?.text === condition.text || (known === undefined && this.#present.size >= MAX_CONDITIONS)) return;
    this.#present.set(id, condition);
    this.#changes.publish({ kind: "raised", id, condition });
  }

  /** Clears a condition; nothing happens if it was not raised. */
  clear(which: Omit<Condition, "text">, end: ConditionEnd): void {
    const id = conditionId(which);
    const condition = this.#present.get(id);
    if (condition === undefined) return;
    this.#present.delete(id);
    this.#changes.publish({ kind: "cleared", id, condition, end });
  }

  get present(): ReadonlyMap<string, Condition> {
    return this.#present;
  }

  /** Adds a source that costs something: it is started while there are readers. `start` returns the function that stops it. */
  addSource(start: () => () => void): void {
    this.#sources.push(start);
    if (this.#readers > 0) this.#running.push(start());
  }

  /** Calls back with each change until the returned function is called. */
  subscribe(listener: (change: ConditionChange) => void): () => void {
    const unsubscribe = this.#changes.subscribe(listener);
    if (this.#readers++ === 0) for (const start of this.#sources) this.#running.push(start());
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      unsubscribe();
      if (--this.#readers === 0) for (const stop of this.#running.splice(0)) stop();
    };
  }
}

/** The same for each condition of a kind about the same thing. */
export function conditionId({ kind, process, host, key }: Omit<Condition, "text">): string {
  // A process that moves to another host keeps its condition.
  return JSON.stringify([kind, process, process === null ? host : null, key ?? null]);
}
