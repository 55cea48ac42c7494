import { z } from "zod";
import { amount, count, flag, integer, pattern, processName, text, timestamp } from "../../protocol/frames/field-kinds.ts";
import { answer, clientFrames, event, managerFrames } from "../../protocol/frames/frame-table.ts";
import { DEFAULT_SEARCH_HITS, MAX_CONTEXT, MAX_SEARCH_HITS, SEARCH_STOPS } from "./limits.ts";

/** Longest pattern, characters. */
const MAX_PATTERN = 1_024;
/** Ten years. */
const MAX_AGE_SECONDS = 315_360_000;
const MAX_NAMES = 1_000;

const namesSay = `must be an array of at most ${MAX_NAMES} names`;
const patternsSay = `must be an array of at most ${MAX_NAMES} patterns`;
const search = text(1, 64).describe("Chosen by the client: names the search on this connection.");
const searched = z.int().describe("Bytes that were searched so far.");

const hit = z
  .object({
    name: z.string().describe("Name of the process."),
    host: z.string(),
    run: z
      .object({ run_id: z.string(), number: z.int() })
      .nullable()
      .describe("The run that printed it, as in `history` of `process_detail`; null where that is not known."),
    place: z
      .object({ offset: z.int(), stream_id: z.string() })
      .nullable()
      .describe(
        "Where the line begins in the output, if the host still has it in memory. Offsets are comparable under the same stream_id only.",
      ),
    file: z
      .object({ path: z.string(), position: z.int() })
      .nullable()
      .describe("The log file on the host, and the bytes in it before the line; null if it was found in memory."),
    time: timestamp.nullable().describe("When it was written, to a second or less precisely; null where that is not known."),
    line: z
      .string()
      .describe("The line without escape sequences; of a line of more than 4,096 UTF-16 code units the part around the match."),
    is_cut: z.boolean().describe("Only a part of the line is there."),
    match: z.tuple([z.int(), z.int()]).describe("Where the first match begins in `line` and where it ends, in UTF-16 code units."),
    before: z.array(z.string()).describe("Lines before it, with `context`; each has at most 1,024 UTF-16 code units."),
    after: z.array(z.string()),
  })
  .meta({ id: "OutputHit" });
export type OutputHit = z.infer<typeof hit>;

export const outputSearchCommands = clientFrames("Output", {
  search_output: {
    fields: {
      search,
      pattern: text(1, MAX_PATTERN).describe(`What a line has to contain, at most ${MAX_PATTERN} characters.`),
      regex: flag.describe("The pattern is a regular expression of RE2; default false: plain text.").exactOptional(),
      ignore_case: flag.describe("Default false.").exactOptional(),
      names: z
        .array(processName, { error: namesSay })
        .max(MAX_NAMES, { error: namesSay })
        .describe("Processes or groups. Without `names` and `patterns`: all processes in view.")
        .exactOptional(),
      patterns: z.array(pattern, { error: patternsSay }).max(MAX_NAMES, { error: patternsSay }).exactOptional(),
      since: amount(MAX_AGE_SECONDS)
        .describe("Only output of this many seconds before now; output of which the time is not known is included.")
        .exactOptional(),
      until: amount(MAX_AGE_SECONDS).describe("Only output from before this many seconds before now.").exactOptional(),
      context: integer(0, MAX_CONTEXT).describe("Number of lines before and after each hit; default 0.").exactOptional(),
      limit: count(MAX_SEARCH_HITS)
        .describe(`Maximum number of hits; default ${DEFAULT_SEARCH_HITS}, at most ${MAX_SEARCH_HITS}.`)
        .exactOptional(),
    },
    answer: "search_output_done",
    scope: "output",
    role: "viewer",
    readOnly: true,
    meaning:
      "Searches the output of processes: what their hosts have in memory, and their log files with the rotated ones. Hits come as they are found, the answer comes at the end. At most two at the same time on a connection.",
    check: ({ pattern }) =>
      /[\r\n]/.test(String(pattern)) ? { field: "pattern", says: "must not contain a line end: lines are searched one by one" } : null,
  },
  cancel_search_output: {
    fields: { search },
    answer: null,
    scope: "own",
    role: "viewer",
    readOnly: true,
    meaning: "Ends a search of this connection; it is answered with what was found. Nothing happens if there is none of this name.",
  },
});

export const outputSearchFrames = managerFrames("Output", {
  search_output_hits: event(
    { search: z.string(), hits: z.array(hit) },
    "Lines that a search has found: those of one process in their order.",
  ),
  search_output_progress: event(
    { search: z.string(), searched, hosts: z.int().describe("Hosts that are searched."), hosts_done: z.int() },
    "How far a search is.",
  ),
  search_output_done: answer(
    {
      search: z.string(),
      hits: z.int().describe("Number of hits that were sent."),
      searched,
      cancelled: z.boolean(),
      truncated: z
        .array(z.object({ host: z.string(), by: z.enum(SEARCH_STOPS) }))
        .describe("Hosts on which it ended early: by the number of hits, their size in all, or ten seconds of processor time."),
      unanswered: z.array(z.object({ host: z.string(), reason: z.string() })).describe("Hosts that did not answer, or not to the end."),
      problems: z.array(z.object({ host: z.string(), problem: z.string() })).describe("Files that were not searched."),
    },
    "The end of a search.",
  ),
});
