import type { Signal } from "../protocol/resources/resources.ts";

/** One run of a scripted program, controlled by its script and by the test. Times are those of the host's clock. */
export interface FakeProcess {
  readonly name: string;
  /** The command as shown to users. */
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly pid: number;
  /** 1 for the first run of this name, then 2, 3 … */
  readonly run: number;
  /** Signals and typed text that it received, in order: `SIGTERM`, `"yes\n"`. */
  readonly received: readonly string[];
  /** Aborted when it has ended. */
  readonly ended: AbortSignal;

  /** Writes to its terminal, which converts each newline to CR LF. The process becomes ready if the text matches its `ready.regex`. */
  print(text: string): void;
  /** Makes its readiness probe succeed from now on. */
  ready(): void;
  /** Makes its liveness probe fail for good, with this reason. */
  unhealthy(reason: string): void;
  /** Says whether its run meets a condition of dependencies that its host checks, such as `publishing`; null: it does, else why not. */
  checked(condition: string, problem?: string | null): void;
  /** Resolves after `milliseconds`; if the process ends before, it rejects, which ends the script. */
  sleep(milliseconds: number): Promise<void>;
  /** Resolves with the next typed text. */
  input(): Promise<string>;
  /** Calls `handler` on a signal instead of ending. SIGKILL cannot be caught. */
  on(signal: Signal, handler: () => void): void;
  /** Ignores these signals. */
  ignore(...signals: Signal[]): void;
  /** Ends the process by itself. */
  exit(code?: number): void;
  /** Ends the process as by a signal that it did not catch. */
  crash(signal?: Signal): void;
}

/**
 * The script of a program, synchronous or not. A number that it returns or resolves with is the exit code; otherwise the process runs until it is
 * ended. If the script throws, the error is printed, and the process exits with code 1.
 */
export type FakeScript = (process: FakeProcess) => unknown;

/** A simulated program. Without `script` it is ready at once, and runs until a signal ends it. */
export interface FakeProgram {
  readonly script?: FakeScript;
  /** Time that the host takes to start it, milliseconds. */
  readonly spawn_delay?: number;
  /** The reason why it cannot be started. */
  readonly spawn_error?: string;
}

/** Programs by process name or fnmatch pattern; the first match is used. A function is a program's script. */
export type FakePrograms = Readonly<Record<string, FakeProgram | FakeScript>>;
