import { MgrError } from "../../base/errors.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { until } from "../../base/timing/wait.ts";

/**
 * Answers and heartbeats share one ordered connection. If a heartbeat arrives this long after a request, milliseconds, its answer was lost
 * with the previous connection, and waiting for the request's time-out is pointless.
 */
const LATE_MS = 3_000;

interface Unanswered {
  /** Monotonic time. */
  readonly since: number;
  readonly fail: (error: Error) => void;
}

/** The pending requests of a host's callers: for a session, and for answers of the host. */
export class PendingAnswers {
  readonly #clock: Clock;
  /** Commands that are not answered yet. */
  readonly #pending = new Set<(error: Error) => void>();
  /** A hello, or a request for a page of the table, that is not answered yet. */
  #unanswered: Unanswered | null = null;

  /** Callers that wait for a session. */
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves with the next session; rejects when `signal` fires. */
  opening(signal: AbortSignal): Promise<void> {
    let isOpen = false;
    const subscribe = (check: () => void) => {
      const go = () => {
        isOpen = true;
        check();
      };
      this.#waiting.add(go);
      return () => void this.#waiting.delete(go);
    };
    return until(() => isOpen, subscribe, signal);
  }

  /** Resolves the callers that wait for a session. */
  opened(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const go of waiting) go();
  }

  /** Rejects as soon as the session ends: its answers are lost, so callers need not wait for the requests' time-outs. */
  whileOpen<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#pending.add(reject);
      answer.then(resolve, reject).finally(() => this.#pending.delete(reject));
    });
  }

  /** Rejects the commands that are not answered yet: the session has ended. */
  fail(error: Error): void {
    for (const reject of this.#pending) reject(error);
    this.#pending.clear();
  }

  /** Resolves with the answer; also rejects if the host's heartbeats arrive but the answer does not. */
  async soon<T>(answer: Promise<T>): Promise<T> {
    let fail: Unanswered["fail"] = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    const unanswered = { since: this.#clock.monotonic(), fail };
    this.#unanswered = unanswered;
    try {
      return await Promise.race([answer, late]);
    } finally {
      if (this.#unanswered === unanswered) this.#unanswered = null;
    }
  }

  /** Called on a heartbeat: rejects an answer that should have arrived before it. */
  giveUpLate(): void {
    if (this.#unanswered === null || this.#clock.monotonic() - this.#unanswered.since < LATE_MS) return;
    this.#unanswered.fail(new MgrError("timeout", "the host is alive, but its answer was lost with an earlier connection"));
  }
}
