/** A process manager that runs processes for a benchmark. Disposing of it ends it and all that it runs. */
export interface Peer extends AsyncDisposable {
  /** Starts it with a configuration that starts all processes at once and restarts each that ends. */
  up(): Promise<void>;
  /** Pids of its own programs; none before `up` if it starts them then. */
  programs(): number[];
  /** Asks it to stop all, until it says that they have stopped. */
  stop(): Promise<void>;
  /** Asks it to restart one, until it has accepted that. */
  restart(number: number): Promise<void>;
  /** Asks for the state of each process; null if it has no such request. */
  readonly status: (() => Promise<void>) | null;
}
