import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { resolve } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { MgrError, messageOf } from "../base/errors.ts";
import { parseJson } from "../base/json.ts";
import { poll, withTimeout } from "../base/timing/wait.ts";
import type { HostLog } from "../contract/messages.ts";
import { writeHandover } from "./handover/handover-file.ts";
import type { SurvivingPart } from "./handover/surviving-part.ts";
import { endAtSigterm, replaceProgram } from "./native/exec.ts";
import { openMemoryFile, sealMemoryFile } from "./native/memory-file.ts";
import type { StartOptions } from "./start-options.ts";
import { CHECK_VARIABLE, HANDOVER_VARIABLE, takeOverAnswer } from "./take-over.ts";

/** Time limit for the new program to say whether it can take over, milliseconds: shorter than that of a request to a host. */
const CHECK_MS = 8_000;
/** Time limit for requests of the thread pool, milliseconds: the new program would not know how they ended. */
const DRAIN_MS = 2_000;
/** Maximum length of the new program's reason, bytes. */
const MAX_REASON_LENGTH = 2_048;
/** Descriptor of the state in the check of a new program. */
const CHECK_DESCRIPTOR = 3;

/** The program that replaces this one. */
export interface ReplacementTarget {
  /** Absolute path of the daemon's program; null: the one that is installed where this one was started. */
  readonly program: string | null;
  /** Absolute path of Node; null: the one that runs this program. */
  readonly node: string | null;
}

interface ReplacementOptions {
  readonly options: StartOptions;
  /** Path of this program. */
  readonly program: string;
  readonly version: string | null;
  readonly parts: () => Readonly<Record<string, SurvivingPart>>;
  /** Whether the daemon ends. */
  readonly isEnding: () => boolean;
  /** Writes the lines of the log that are queued. */
  readonly flushLog: () => void;
  readonly log: (level: HostLog["level"], msg: string) => void;
}

/**
 * Replaces the program of the daemon by execve: the process stays, with its children, terminals and locks
 * (docs/decisions/0086-replacement-by-exec.md).
 */
export class Replacement {
  readonly #options: ReplacementOptions;
  #isBusy = false;

  constructor(options: ReplacementOptions) {
    this.#options = options;
  }

  /**
   * Begins the replacement. Resolves with the version of the new program once that has said that it can take over; the program is replaced right
   * afterwards. Rejects with `conflict` if it cannot take over, with `busy` if a replacement is in progress; then nothing has changed.
   */
  async begin(target: ReplacementTarget): Promise<string | null> {
    if (this.#isBusy) throw new MgrError("busy", "the program of this daemon is being replaced already");
    this.#isBusy = true;
    const program = resolve(target.program ?? this.#options.program);
    const node = target.node ?? process.execPath;
    try {
      const version = await this.#check(program, node);
      // The answer is sent first.
      setImmediate(() => void this.#replace(program, node));
      return version;
    } catch (error) {
      this.#isBusy = false;
      this.#options.log("error", messageOf(error));
      throw error;
    }
  }

  /** Lets the new program read a copy of the state. */
  async #check(program: string, node: string): Promise<string | null> {
    const file = openMemoryFile("mgr-handover-check");
    try {
      await this.#whileQuiet(() => this.#write(file, { isCopy: true }));
      return await checkProgram({ program, node, file, argv: this.#argv(program) });
    } finally {
      closeSync(file);
    }
  }

  async #replace(program: string, node: string): Promise<void> {
    const { log, flushLog, isEnding } = this.#options;
    const file = openMemoryFile("mgr-handover");
    try {
      await this.#whileQuiet(async () => {
        // From now on there is no handler for it. A signal that was received just before is handled in the next turn.
        const restoreSigterm = endAtSigterm();
        try {
          await turn();
          await drained();
          if (isEnding()) throw new MgrError("conflict", "the daemon ends");
          log("info", `replacing the program of this daemon by ${program}`);
          const descriptors = this.#write(file, { isCopy: false });
          sealMemoryFile(file);
          flushLog();
          replaceProgram({
            path: node,
            argv: [node, ...this.#argv(program)],
            environment: { ...process.env, [HANDOVER_VARIABLE]: String(file) },
            descriptors: [file, ...descriptors],
          });
        } finally {
          restoreSigterm();
        }
      });
    } catch (error) {
      log("error", `the program of this daemon was not replaced, and continues: ${messageOf(error)}`);
    } finally {
      closeSync(file);
      this.#isBusy = false;
    }
  }

  /** Returns the result of `work`, which is called while nothing is half done; then everything continues. */
  async #whileQuiet<T>(work: () => T | Promise<T>): Promise<T> {
    const parts = Object.values(this.#options.parts());
    try {
      for (const part of parts) await part.quiet?.();
      return await work();
    } finally {
      for (const part of parts.toReversed()) part.resume?.();
    }
  }

  /** Writes the state of all parts; returns the descriptors that belong to it. */
  #write(file: number, how: { isCopy: boolean }): number[] {
    const parts = Object.entries(this.#options.parts()).map(([name, part]) => [name, part.handOver()] as const);
    writeHandover(file, { program: this.#options.version, sections: Object.fromEntries(parts) }, how);
    return parts.flatMap(([, { descriptors }]) => Object.values(descriptors));
  }

  #argv(program: string): string[] {
    const { version: _replaced, ...options } = this.#options.options;
    return [...process.execArgv, program, JSON.stringify(options)];
  }
}

interface Checked {
  readonly program: string;
  readonly node: string;
  readonly file: number;
  readonly argv: readonly string[];
}

/** Resolves with the version of a program that can take over. Rejects with `conflict` and its reason. */
async function checkProgram({ program, node, file, argv }: Checked): Promise<string | null> {
  const child = spawn(node, argv, {
    cwd: "/",
    stdio: ["ignore", "pipe", "pipe", file],
    env: { ...process.env, [CHECK_VARIABLE]: String(CHECK_DESCRIPTOR) },
  });
  const refused = (reason: string, cause?: unknown) =>
    new MgrError("conflict", `${program} cannot take over from this daemon, which continues: ${reason}`, { cause });
  let answer = "";
  let reason = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    answer = `${answer}${text}`.slice(0, MAX_REASON_LENGTH);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    reason = `${reason}${text}`.slice(-MAX_REASON_LENGTH);
  });
  try {
    const [code, signal] = await withTimeout(once(child, "close"), CHECK_MS, () =>
      refused(`it did not answer within ${CHECK_MS / 1_000} s`),
    );
    const accepted = takeOverAnswer.safeParse(parseJson(answer));
    if (code === 0 && accepted.success) return accepted.data.version;
    throw refused(reason.trim() || `it ended with ${signal ?? `exit code ${code}`} and without an answer`);
  } catch (error) {
    throw error instanceof MgrError ? error : refused(messageOf(error), error);
  } finally {
    child.kill("SIGKILL");
  }
}

/** Resolves when the thread pool has no request on files. Rejects with `timeout`. */
async function drained(): Promise<void> {
  const isIdle = () => !process.getActiveResourcesInfo().some((name) => /^(FSReq|FileHandle)/.test(name));
  if (await poll(isIdle, { everyMs: 1, forMs: DRAIN_MS })) return;
  throw new MgrError("timeout", `a file has not been written or read for ${DRAIN_MS / 1_000} s`);
}
