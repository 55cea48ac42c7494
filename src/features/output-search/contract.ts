import { z } from "zod";
import { count, session, streamName } from "../../contract/fields.ts";
import { MAX_CONTEXT, SEARCH_STOPS } from "./limits.ts";

/** Most processes of one request. */
export const MAX_TARGETS = 512;
/** Processor time of one search on one host, milliseconds. */
export const MAX_SEARCH_CPU_MS = 10_000;
/** Size of all hits of one search, bytes of JSON: of one host, and of all together. */
export const MAX_SEARCH_BYTES = 3 * 1024 * 1024;
/** Searches at the same time on one host. */
export const MAX_HOST_SEARCHES = 8;
/** A host ends a search whose hits were not fetched for this long, milliseconds. */
export const FETCH_WITHIN_MS = 30_000;

const age = z.number().min(0);

const target = z.object({
  name: z.string().max(1_024),
  /** As configured, for a process that has not run under this daemon; null: none. `path` is absolute, or relative to `base_dir`. */
  log_file: z.object({ path: z.string().max(4_096), base_dir: z.string().max(4_096), max_files: z.int().min(1) }).nullable(),
});
export type SearchTarget = z.infer<typeof target>;

const hostHit = z.object({
  name: z.string(),
  /** Offset of the line's first byte in the ring; null: the ring does not hold it any more. */
  offset: count.nullable(),
  /** Null: the line is from the ring. */
  file: z.object({ path: z.string(), position: count }).nullable(),
  /** Milliseconds since it was written; null: not known. */
  age_ms: age.nullable(),
  line: z.string(),
  is_cut: z.boolean(),
  match: z.tuple([count, count]),
  before: z.array(z.string()),
  after: z.array(z.string()),
});
export type HostHit = z.infer<typeof hostHit>;

const stop = z.enum(SEARCH_STOPS);

export const OUTPUT_SEARCH_REQUESTS = {
  /**
   * Begins a search, named by the manager. It ends with the session, when it is cancelled, and when its hits are not fetched. `bad_field`: the
   * pattern cannot be used; `busy`: too many searches.
   */
  search_output: {
    request: z.object({
      session,
      search: streamName,
      pattern: z.string().min(1).max(4_096),
      regex: z.boolean(),
      ignore_case: z.boolean(),
      targets: z.array(target).max(MAX_TARGETS),
      /** Only output that is not older, and not younger, milliseconds; null: no limit. */
      since_ms: age.nullable(),
      until_ms: age.nullable(),
      context: z.int().min(0).max(MAX_CONTEXT),
      limit: z.int().min(1),
      cpu_ms: z.number().min(0).max(MAX_SEARCH_CPU_MS),
    }),
    response: z.object({}),
  },
  /** The next hits, as soon as there are some, or after a second. `end`: the search is over, and these are its last hits. `not_found`. */
  search_output_hits: {
    request: z.object({ session, search: streamName }),
    response: z.object({
      hits: z.array(hostHit),
      /** Bytes that were searched so far. */
      searched: count,
      end: z.object({ stop: stop.nullable(), cpu_ms: z.number(), problems: z.array(z.string()) }).nullable(),
    }),
  },
  /** Ends a search; nothing happens if there is none of this name. */
  cancel_search_output: { request: z.object({ session, search: streamName }), response: z.object({}) },
} as const;
