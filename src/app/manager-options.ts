import type { LogEntry } from "../protocol/resources/resources.ts";
import type { OutputSink } from "../transport/output/output-subscription.ts";
import type { PreparedDaemon } from "./local-daemon/prepared-daemon.ts";
import type { OnProcessAtRest } from "./processes/process-event-router.ts";

/** A command that starts this manager again in the background. */
export interface ManagerLaunch {
  /** Absolute path of the executable. */
  readonly executable: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface ManagerOptions {
  /** Receives the log from the first entry on. */
  onLog?: ((entry: LogEntry) => void) | undefined;
  /** May be called before the manager has started. */
  onProcessAtRest?: OnProcessAtRest | undefined;
  /** Receives the output of all processes. */
  output?: ManagerOutput | undefined;
  /** Names of processes and groups to start in addition to autostart processes, or everything. */
  start?: readonly string[] | "all";
  /** Cancels the start: it rejects with the signal's reason, and a daemon that was started for it is ended. */
  signal?: AbortSignal;
  /** Whether a reload uses files that other users can change. */
  trustConfig?: boolean;
  /** The daemon for this machine's host, if none runs there. */
  daemon?: PreparedDaemon | null;
  /** How this manager is started again, if it runs in the background. */
  launch?: ManagerLaunch | null;
}

/** `begin` receives the function that the reader calls when it was full and has room again. */
export interface ManagerOutput extends OutputSink {
  begin(hasRoom: () => void): void;
}
