import { MgrError } from "../../base/errors.ts";
import { compileFnmatch, isLiteral } from "../../base/patterns/fnmatch.ts";
import { MAX_EXACT_PATTERNS, MAX_WILDCARD_PATTERNS } from "../../protocol/process/process-output.ts";
import type { OutputPiece } from "./output-piece.ts";

/** Receives output. Must not throw or wait. */
export interface OutputSink {
  /** `keep`: the output must not be skipped, however slow the reader is. */
  output(piece: OutputPiece, keep: boolean): void;
  /** Whether the sink has enough for now; when that ends, `OutputHub.hasRoom` is called. Absent: never. */
  readonly isFull?: boolean;
  /** Bytes of output that the sink can accept without missing any. Absent: any number. */
  readonly room?: number;
  /** Whether processes whose output must not be skipped have to wait for the sink. Its end is reported like that of `isFull`. */
  readonly isFarBehind?: boolean;
  /** Closes the sink, which held a process back for too long. */
  tooSlow?(reason: string): void;
}

/** The processes whose output one connection receives: its patterns, limited to its view. */
export class OutputSubscription {
  readonly sink: OutputSink;
  /** Names of living processes that are subscribed now; updated by the hub. */
  readonly names = new Set<string>();
  readonly #contains: (name: string) => boolean;
  /** Whether everything in view is subscribed without patterns (`single_process`, `single_group`). */
  readonly #everything: boolean;
  readonly #patterns = new Set<string>();
  readonly #wildcards = new Map<string, (name: string) => boolean>();

  constructor(options: { sink: OutputSink; contains: (name: string) => boolean; everything: boolean }) {
    this.sink = options.sink;
    this.#contains = options.contains;
    this.#everything = options.everything;
  }

  includes(name: string): boolean {
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

  /** Whether `name` is in view and `pattern` matches it. */
  admits(pattern: OutputPattern, name: string): boolean {
    return (pattern.text === name || pattern.matches(name)) && this.#contains(name);
  }
}

export interface OutputPattern {
  readonly text: string;
  readonly isWildcard: boolean;
  readonly matches: (name: string) => boolean;
}

/** The pattern is compiled when it is first needed, in the slices of that work: a thousand long patterns in one frame take a while. */
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
