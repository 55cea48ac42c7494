import { MgrError } from "../../base/errors.ts";
import { compileFnmatch, isLiteral } from "../../base/fnmatch.ts";
import { MAX_EXACT_PATTERNS, MAX_WILDCARD_PATTERNS } from "../../protocol/process/process-output.ts";
import type { OutputPiece } from "./output-piece.ts";

/** Receives output. Must not throw or wait. */
export interface OutputSink {
  /** `keep`: not to be skipped, however slow the reader is. */
  output(piece: OutputPiece, keep: boolean): void;
  /** It has enough for now; the hub is told when that is over (`OutputHub.hasRoom`). Absent: never. */
  readonly isFull?: boolean;
  /** Bytes of output that it can take without missing any. Absent: any number. */
  readonly room?: number;
  /** Processes whose output must not be skipped have to wait for it. The end of it is told like that of `isFull`. */
  readonly isFarBehind?: boolean;
  /** It held a process back for too long: it is to be closed. */
  tooSlow?(reason: string): void;
}

/** Which processes one connection wants to hear: its patterns, within what its view contains. */
export class OutputSubscription {
  readonly sink: OutputSink;
  /** Names of living processes that are subscribed now; the hub keeps it. */
  readonly names = new Set<string>();
  readonly #contains: (name: string) => boolean;
  /** Everything in view is subscribed without patterns (`single_process`, `single_group`). */
  readonly #everything: boolean;
  readonly #patterns = new Set<string>();
  readonly #wildcards = new Map<string, (name: string) => boolean>();

  constructor(options: { sink: OutputSink; contains: (name: string) => boolean; everything: boolean }) {
    this.sink = options.sink;
    this.#contains = options.contains;
    this.#everything = options.everything;
  }

  wants(name: string): boolean {
    if (!this.#contains(name)) return false;
    if (this.#everything || this.#patterns.has(name)) return true;
    for (const matches of this.#wildcards.values()) if (matches(name)) return true;
    return false;
  }

  /** Adds patterns, all or none; returns those that were not there yet. Throws `bad_field` when it would hold too many. */
  add(patterns: readonly string[]): OutputPattern[] {
    const added = [...new Set(patterns)].filter((pattern) => !this.#patterns.has(pattern)).map((text) => compile(text));
    const wildcards = added.filter((pattern) => pattern.isWildcard).length;
    if (this.#wildcards.size + wildcards > MAX_WILDCARD_PATTERNS) {
      throw tooMany(`${MAX_WILDCARD_PATTERNS} patterns with wildcards`);
    }
    if (this.#patterns.size - this.#wildcards.size + added.length - wildcards > MAX_EXACT_PATTERNS) {
      throw tooMany(`${MAX_EXACT_PATTERNS} exact names`);
    }
    for (const pattern of added) {
      this.#patterns.add(pattern.text);
      if (pattern.isWildcard) this.#wildcards.set(pattern.text, pattern.matches);
    }
    return added;
  }

  remove(patterns: readonly string[]): void {
    for (const pattern of patterns) {
      this.#patterns.delete(pattern);
      this.#wildcards.delete(pattern);
    }
  }

  holds(pattern: OutputPattern): boolean {
    return this.#patterns.has(pattern.text);
  }

  /** Whether `name` is in view and `pattern` names it: what a new pattern can add. */
  admits(pattern: OutputPattern, name: string): boolean {
    return (pattern.text === name || pattern.matches(name)) && this.#contains(name);
  }
}

export interface OutputPattern {
  readonly text: string;
  readonly isWildcard: boolean;
  readonly matches: (name: string) => boolean;
}

/** Compiled when it is first needed, in the slices of that work: a thousand long patterns in one frame take a while. */
function compile(text: string): OutputPattern {
  let matches: ((name: string) => boolean) | null = null;
  return {
    text,
    isWildcard: !isLiteral(text),
    matches: (name) => {
      matches ??= compileFnmatch(text);
      return matches(name);
    },
  };
}

function tooMany(what: string): MgrError {
  return new MgrError("bad_field", `patterns: a connection may hold at most ${what}; unsubscribe some first, or use a wider pattern.`);
}
