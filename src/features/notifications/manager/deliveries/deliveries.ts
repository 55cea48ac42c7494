import { messageOf } from "../../../../base/errors.ts";
import type { Clock } from "../../../../base/timing/clock.ts";
import { formatTime, parseTime } from "../../../../protocol/time.ts";
import { MAX_HISTORY, MAX_WAITING, MAX_WAITING_OF_WAY } from "../../limits.ts";
import type { Delivery, Notification } from "../../notification.ts";
import type { Outcome } from "./outcome.ts";
import type { SendOn } from "./ways.ts";

/** Delay before the second attempt, its growth and its limit, milliseconds. */
const FIRST_DELAY_MS = 5_000;
const GROWTH = 2;
const MAX_DELAY_MS = 900_000;
/** Age after which a notification is given up, milliseconds: what it says is history then. */
const MAX_AGE_MS = 24 * 3_600_000;

interface DeliveriesOptions {
  readonly clock: Clock;
  readonly send: SendOn;
  /** Resolves when what `waiting` and `history` are now is on disk, or could not be saved. */
  readonly save: () => Promise<void>;
  readonly changed: () => void;
  readonly warn: (msg: string) => void;
}

/**
 * Sends notifications on their ways, one at a time on each way. A delivery is on disk before its first attempt, so it keeps its key; after a restart
 * it is attempted again unless its result is on disk.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  #waiting: Delivery[] = [];
  #history: Delivery[] = [];
  /** The delivery with an attempt under way, by its way. */
  readonly #busy = new Map<string, Delivery>();
  /** Called after each attempt. */
  #onAttempt = () => {};
  readonly #end = new AbortController();
  #timer: unknown = null;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  get waiting(): readonly Delivery[] {
    return this.#waiting;
  }

  /** Newest first. */
  get history(): readonly Delivery[] {
    return this.#history;
  }

  /** Continues with what an earlier manager has kept. */
  restore(waiting: readonly Delivery[], history: readonly Delivery[]): void {
    this.#waiting = waiting.slice(0, MAX_WAITING);
    this.#history = history.slice(0, MAX_HISTORY);
  }

  /** Adds a notification to the ways. `start` begins its deliveries, when it has been saved. */
  add(notification: Notification, ways: readonly { readonly name: string; readonly kind: string }[]): void {
    for (const { name, kind } of ways) {
      this.#makeRoom(name);
      this.#waiting.push({
        notification,
        way: name,
        way_kind: kind,
        state: "waiting",
        attempts: 0,
        next_attempt: null,
        result: null,
        finished: null,
      });
    }
  }

  /** Begins what is due, and waits for the rest. */
  start(): void {
    const { clock } = this.#options;
    if (this.#end.signal.aborted) return;
    clock.clearTimeout(this.#timer);
    const now = clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const delivery of this.#waiting) {
      if (this.#busy.has(delivery.way)) continue;
      const due = delivery.next_attempt === null ? now : parseTime(delivery.next_attempt);
      if (due <= now) void this.#attempt(delivery);
      else next = Math.min(next, due - now);
    }
    // The wall clock may be stepped: no wait is longer than the longest delay.
    if (next !== Number.POSITIVE_INFINITY) this.#timer = clock.setTimeout(() => this.start(), Math.min(next, MAX_DELAY_MS));
  }

  /** Attempts once what was not attempted yet; resolves when that is done, after `milliseconds` at most. The next manager sends the rest. */
  async finish(milliseconds: number): Promise<void> {
    const { clock } = this.#options;
    const isDone = () => this.#waiting.every(({ attempts }) => attempts > 0);
    let timer: unknown = null;
    await new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, milliseconds);
      this.#onAttempt = () => isDone() && resolve();
      this.start();
      this.#onAttempt();
    });
    clock.clearTimeout(timer);
  }

  close(): void {
    this.#end.abort();
    this.#options.clock.clearTimeout(this.#timer);
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { clock, save, send } = this.#options;
    this.#busy.set(delivery.way, delivery);
    try {
      if (delivery.attempts === 0) await save();
      if (this.#end.signal.aborted) return;
      const outcome = await send(delivery.way, delivery.notification, this.#end.signal).catch(
        (error: unknown): Outcome => ({ kind: "again", text: messageOf(error) }),
      );
      // An attempt that the end of the manager has aborted is made again by the next one.
      if (this.#end.signal.aborted && outcome.kind !== "sent") return;
      this.#record(delivery, outcome, clock.now());
      await save();
    } finally {
      this.#busy.delete(delivery.way);
      this.start();
      this.#onAttempt();
    }
  }

  #record(delivery: Delivery, outcome: Outcome, now: number): void {
    const attempts = delivery.attempts + 1;
    const tried = { ...delivery, attempts, result: outcome.text };
    const isOld = now - parseTime(delivery.notification.time) > MAX_AGE_MS;
    if (outcome.kind === "again" && !isOld) {
      const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * GROWTH ** (attempts - 1));
      const next = formatTime(now + Math.max(delay, outcome.afterMs ?? 0));
      this.#waiting = this.#waiting.map((each) => (each === delivery ? { ...tried, next_attempt: next } : each));
    } else this.#finish(delivery, { ...tried, state: outcome.kind === "sent" ? "sent" : "failed" }, now);
    if (attempts === 1 && outcome.kind !== "sent")
      this.#options.warn(
        `a notification could not be sent on '${delivery.way}'${outcome.kind === "again" ? ", it is tried again" : ""}: ${outcome.text}`,
      );
    this.#options.changed();
  }

  #finish(delivery: Delivery, finished: Delivery, now: number): void {
    this.#waiting = this.#waiting.filter((each) => each !== delivery);
    this.#history = [{ ...finished, next_attempt: null, finished: formatTime(now) }, ...this.#history].slice(0, MAX_HISTORY);
  }

  /** Gives up the oldest delivery of a way, or of all, if there are too many. One under way is not given up. */
  #makeRoom(way: string): void {
    const ofWay = this.#waiting.filter((each) => each.way === way);
    const crowd = ofWay.length >= MAX_WAITING_OF_WAY ? ofWay : this.#waiting.length >= MAX_WAITING ? this.#waiting : [];
    const oldest = crowd.find((each) => this.#busy.get(each.way) !== each);
    if (oldest === undefined) return;
    this.#options.warn(`a notification for '${oldest.way}' was given up: too many wait there`);
    const result = oldest.result === null ? "given up: too many waited" : `given up: too many waited; ${oldest.result}`;
    this.#finish(oldest, { ...oldest, state: "failed", result }, this.#options.clock.now());
  }
}
