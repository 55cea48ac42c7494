import { type AnyErrorCode, isErrorCode, MgrError } from "../../base/errors.ts";
import type { HostLink } from "../../contract/host-link.ts";
import { MAX_STOPS, type Stop } from "../../contract/stops.ts";

/** Errors of a request for many runs that need not concern each of them, or that hosts of earlier versions give. */
const SEPARATELY: ReadonlySet<AnyErrorCode> = new Set<AnyErrorCode>(["unknown_action", "too_large", "bad_field", "internal"]);

interface StopRequestsOptions {
  readonly link: Pick<HostLink, "request">;
  /** Calls `send` with the session (`HostSession.command`). */
  readonly command: <T>(send: (session: string) => Promise<T>) => Promise<T>;
  /** Called with stops that were accepted and of which the host sends no event. */
  readonly onStopping: (stop: Stop) => void;
}

interface Waiting {
  readonly stop: Stop;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Sends the stops that are requested in one turn to a host as one request: a command to a group stops many runs in each turn. */
export class StopRequests {
  readonly #options: StopRequestsOptions;
  #waiting: Waiting[] = [];

  constructor(options: StopRequestsOptions) {
    this.#options = options;
  }

  /** Resolves when the host has accepted the stop; rejects with its error, or as `HostSession.command` does. */
  send(stop: Stop): Promise<void> {
    return new Promise((resolve, reject) => {
      // After all promises of this turn.
      if (this.#waiting.length === 0) process.nextTick(() => this.#sendAll());
      this.#waiting.push({ stop, resolve, reject });
    });
  }

  #sendAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    while (waiting.length > 0) {
      const part = waiting.splice(0, MAX_STOPS);
      if (part.length === 1) this.#separately(part);
      else void this.#together(part);
    }
  }

  #separately(part: readonly Waiting[]): void {
    const { command, link } = this.#options;
    for (const { stop, resolve, reject } of part)
      command((session) => link.request("stop", { session, ...stop })).then(() => resolve(), reject);
  }

  async #together(part: readonly Waiting[]): Promise<void> {
    const { command, link, onStopping } = this.#options;
    try {
      const stops = part.map(({ stop }) => stop);
      const { refused } = await command((session) => link.request("stop_runs", { session, stops }));
      const refusals = new Map(refused.map((refusal) => [refusal.run_id, refusal]));
      for (const { stop, resolve, reject } of part) {
        const refusal = refusals.get(stop.run_id);
        if (refusal === undefined) {
          onStopping(stop);
          resolve();
        } else reject(new MgrError(isErrorCode(refusal.code) ? refusal.code : "internal", refusal.message));
      }
    } catch (error) {
      if (error instanceof MgrError && SEPARATELY.has(error.code)) this.#separately(part);
      else for (const { reject } of part) reject(error);
    }
  }
}
