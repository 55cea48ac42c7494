import type { Signal } from "../protocol/resources/resources.ts";

/** One run of a scripted program: what its script and the test can make it do. Times are those of the host's clock. */
export interface FakeProcess {
  readonly name: string;
  /** As a person reads it. */
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly pid: number;
  /** 1 for the first run of this name, then 2, 3 … */
  readonly run: number;
  /** Signals and typed text that it was sent, in order: `SIGTERM`, `"yes\n"`. */
  readonly received: readonly string[];
  /** Aborted when it has ended. */
  readonly ended: AbortSignal;

  /** Writes to its terminal, which makes CR LF of each newline. It becomes ready if that is what its `ready.regex` waits for. */
  print(text: string): void;
  /** Its readiness probe holds from now on. */
  ready(): void;
  /** Its liveness probe has failed for good, for this reason. */
  unhealthy(reason: string): void;
  /** Resolves after `milliseconds`; if it ends before, the script ends here. */
  sleep(milliseconds: number): Promise<void>;
  /** Resolves with what is typed next. */
  input(): Promise<string>;
  /** Does this on a signal instead of ending. SIGKILL cannot be caught. */
  on(signal: Signal, handler: () => void): void;
  /** Goes on when it is sent one of these. */
  ignore(...signals: Signal[]): void;
  /** Ends by itself. */
  exit(code?: number): void;
  /** Ends as by a signal that it did not catch. */
  crash(signal?: Signal): void;
}

/**
 * What it does, synchronously or not. A number that it returns or resolves with is its exit code; otherwise it runs on
 * until it is ended. If it throws, that is printed, and it exits with code 1.
 */
export type FakeScript = (process: FakeProcess) => unknown;

/** A program that is not there. Without `script` it is ready at once, and runs until a signal ends it. */
export interface FakeProgram {
  readonly script?: FakeScript;
  /** It takes the host so long to start it, milliseconds. */
  readonly spawn_delay?: number;
  /** It cannot be started, for this reason. */
  readonly spawn_error?: string;
}

/** By process name or fnmatch pattern; the first that matches counts. A function is a program's script. */
export type FakePrograms = Readonly<Record<string, FakeProgram | FakeScript>>;
