import { MgrError } from "../../../base/errors.ts";

/** Signals that end a manager, handled from before its start: they are kept until a listener is added. */
export class EndSignals {
  readonly #start = new AbortController();
  #received: NodeJS.Signals[] = [];
  #onFirst: (signal: NodeJS.Signals) => void = () => {};
  #onSecond: () => void = () => {};
  #onReload: () => void = () => {};

  /**
   * A detached manager has no terminal to lose: SIGHUP reloads the configuration; otherwise it acts as SIGTERM
   * (docs/design/runtime-invariants.md, "Locks").
   */
  constructor(isDetached: boolean) {
    const receive = (signal: NodeJS.Signals) => this.#receive(signal);
    process.on("SIGINT", receive);
    process.on("SIGTERM", receive);
    process.on("SIGHUP", isDetached ? () => this.#onReload() : receive);
  }

  /** Aborted by the first signal: cancels the start. */
  get first(): AbortSignal {
    return this.#start.signal;
  }

  onFirst(listener: (signal: NodeJS.Signals) => void): void {
    this.#onFirst = listener;
    const [first] = this.#received;
    if (first !== undefined) listener(first);
  }

  /**
   * Calls `listener` on the second signal. A third one has no effect, and SIGHUP is never the second: a closed terminal sends it several
   * times (the kernel, then the shell), and systemd sends it right after SIGTERM.
   */
  onSecond(listener: () => void): void {
    this.#onSecond = listener;
    if (this.#received.length > 1) listener();
  }

  onReload(listener: () => void): void {
    this.#onReload = listener;
  }

  #receive(signal: NodeJS.Signals): void {
    if (signal === "SIGHUP" && this.#received.length > 0) return;
    this.#received = [...this.#received, signal];
    if (this.#received.length === 1) {
      this.#start.abort(new MgrError("conflict", `${signal} received during startup; nothing was started`));
      this.#onFirst(signal);
    } else if (this.#received.length === 2) this.#onSecond();
  }
}
