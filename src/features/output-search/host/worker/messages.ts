import type { SearchStop } from "../../limits.ts";
import type { LineHit } from "./line-search.ts";
import type { Pattern } from "./matcher.ts";

/** Messages between the host and the worker thread of one search. Plain data. */

export interface SearchSettings extends Pattern {
  /** Number of lines before and after a hit. */
  readonly context: number;
  /** Processor time of the thread after which it ends the search, milliseconds. */
  readonly cpuMs: number;
  /** Size of all hits, bytes of JSON. */
  readonly maxBytes: number;
}

/** One after the other; each is answered by a `done`. */
export type SearchJob =
  /** Another stream of bytes begins at `position`, and the one before it has ended. */
  | { readonly kind: "begin"; readonly position: number; readonly limit: number }
  /** The bytes of an open file between two places. `isTorn`: they begin within a line, whose rest is left out. */
  | { readonly kind: "file"; readonly fd: number; readonly from: number; readonly until: number; readonly isTorn: boolean }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  /** Number of missing bytes. */
  | { readonly kind: "gap"; readonly bytes: number }
  | { readonly kind: "end" };

export type SearchReply =
  /** `thread` is the id that the kernel has for it. */
  | { readonly kind: "ready"; readonly thread: number }
  | { readonly kind: "refused"; readonly message: string }
  /** Sent in the course of a job, too. */
  | { readonly kind: "found"; readonly hits: readonly LineHit[]; readonly bytes: number }
  /** `stop`: this limit was reached, and the search is over. */
  | { readonly kind: "done"; readonly stop: SearchStop | null; readonly problem: string | null };
