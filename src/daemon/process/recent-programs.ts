import { MgrError } from "../../base/errors.ts";
import type { Account } from "./accounts.ts";
import { type Checked, checkText, findProgram } from "./spawn-check.ts";

/** How long what was found in PATH is used again, milliseconds: the starts of a burst search the same folders for the same programs. */
const RECENT_MS = 20;

interface Sought extends Checked {
  /** The user as whom it is searched for. */
  account: Account | null;
}

/** Searches for programs, once for many starts in a burst. */
export class RecentPrograms {
  readonly #found = new Map<string, string>();
  #since = Number.NEGATIVE_INFINITY;

  /** Calls `start` with the file to execute. Throws as `findProgram` and `start` do. */
  start<T>(program: Sought, start: (path: string) => T): T {
    const key = [program.account?.name, program.cwd, program.environment.PATH, program.argv[0]].join("\0");
    const recent = this.#recent(key);
    if (recent !== undefined) {
      checkText(program);
      try {
        return start(recent);
      } catch (error) {
        if (!(error instanceof MgrError)) throw error;
        // It may be gone since: the search tells, and finds what is there now.
        this.#found.clear();
      }
    }
    const path = findProgram(program);
    this.#found.set(key, path);
    return start(path);
  }

  #recent(key: string): string | undefined {
    const now = performance.now();
    if (now - this.#since > RECENT_MS) {
      this.#found.clear();
      this.#since = now;
    }
    return this.#found.get(key);
  }
}
