import { z } from "zod";
import { fitsInUtf8 } from "../../base/text/text-length.ts";
import { amount, count, flag, pattern, processName, timestamp } from "../frames/field-kinds.ts";
import { answer, clientFrames, event, managerFrames } from "../frames/frame-table.ts";

export const DEFAULT_OUTPUT_LINES = 1_000;
const MAX_OUTPUT_LINES = 100_000;
/** Ten years. */
const MAX_OUTPUT_AGE_SECONDS = 315_360_000;
/** Maximum number of UTF-8 bytes of one `send_stdin`. */
const MAX_STDIN_BYTES = 65_536;
/** Maximum numbers of a connection's patterns with wildcards, and of its exact names (docs/design/wire-rules.md, "Output"). */
export const MAX_WILDCARD_PATTERNS = 1_000;
export const MAX_EXACT_PATTERNS = 20_000;

const MAX_PATTERNS = MAX_WILDCARD_PATTERNS + MAX_EXACT_PATTERNS;
const patternsSay = `must be an array of at most ${MAX_PATTERNS} patterns`;
const patterns = z.array(pattern, { error: patternsSay }).max(MAX_PATTERNS, { error: patternsSay });

const stdinSays = `must be a string of at most ${MAX_STDIN_BYTES} bytes`;
const stdin = z
  .string({ error: stdinSays })
  .refine((value) => fitsInUtf8(value, MAX_STDIN_BYTES), { error: stdinSays })
  .describe(`What is typed into the terminal, at most ${MAX_STDIN_BYTES} bytes of UTF-8.`);

export const outputCommands = clientFrames("Output", {
  get_process_output: {
    fields: {
      name: processName,
      lines: count(MAX_OUTPUT_LINES)
        .describe(`Last lines of the backlog; default ${DEFAULT_OUTPUT_LINES}, at most ${MAX_OUTPUT_LINES}.`)
        .exactOptional(),
      seconds: amount(MAX_OUTPUT_AGE_SECONDS)
        .describe("Only output of this many seconds before now; a little older output may be included.")
        .exactOptional(),
      times: flag.optional().describe("Also say when it was written."),
    },
    answer: "process_output_snapshot",
    scope: "name",
    role: "viewer",
    readOnly: true,
    meaning: "Backlog of a process, running or not. Does not subscribe.",
  },
  subscribe_process_output: {
    fields: { patterns },
    answer: null,
    scope: "output",
    role: "viewer",
    readOnly: true,
    meaning: "Live output of all processes that match, also of those that appear later. Adds to what is subscribed.",
  },
  unsubscribe_process_output: {
    fields: { patterns },
    answer: null,
    scope: "output",
    role: "viewer",
    readOnly: true,
    meaning: "Removes equal patterns; a process stays subscribed while another pattern matches.",
  },
  send_stdin: {
    fields: {
      name: processName,
      text: stdin,
      reply: flag
        .optional()
        .describe(
          "Written by the viewer's terminal by itself, in reply to a query of the program: taken from the connection that typed or resized last, from all others accepted and dropped.",
        ),
    },
    answer: null,
    scope: "name",
    role: "typing",
    secrets: ["text"],
    meaning: "Types into the terminal of a running process.",
  },
  follow_terminal_size: {
    fields: {
      name: processName,
      follow: flag
        .optional()
        .describe("false: this connection no longer shows the terminal. It receives no more changes, and no longer holds the size."),
    },
    answer: "terminal_size",
    scope: "name",
    role: "viewer",
    readOnly: true,
    meaning: "The size of the process's terminal, and from now on each change of it.",
  },
});

/** The connection that determines the size of a terminal: the one that resized it last, or that typed into it while it followed the size. */
const SIZE_HOLDERS = ["this", "other", "none"] as const;

const place = {
  offset: z.int().describe("Offset in the stream of the byte after the last one of `output`."),
  stream_id: z.string().describe("Offsets are comparable under the same stream_id only."),
};

export const outputFrames = managerFrames("Output", {
  process_output: event(
    {
      name: z.string(),
      output: z.string().describe("Terminal text, CR and LF included."),
      ...place,
      skipped: z.int().exactOptional().describe("Bytes left out before `output`, because this connection could not keep up."),
    },
    "Output of a subscribed process.",
  ),
  process_output_snapshot: answer(
    {
      name: z.string(),
      pid: z.int().describe("Of the newest run in the backlog; 0 if it never ran."),
      output: z.string(),
      truncated: z.boolean().describe("Older lines that were asked for are no longer kept."),
      ...place,
      times: z
        .array(z.object({ offset: z.int(), time: timestamp }))
        .exactOptional()
        .describe(
          "With `times`: from each offset to the next, when it was written, oldest first. Precise to a second at first. Hosts of an earlier version leave it out.",
        ),
      resized: z
        .int()
        .exactOptional()
        .describe(
          "Offset at which the size of the newest run's terminal changed last: a terminal that shows the output forgets its margins there. Left out if it has not changed, and by hosts of an earlier version.",
        ),
    },
    "Backlog of a process.",
  ),
  terminal_size: answer(
    {
      name: z.string(),
      rows: z.int(),
      cols: z.int(),
      holder: z
        .enum(SIZE_HOLDERS)
        .describe(
          "Which connection resized it last, or typed while it followed the size: this one, another one, or none that is still there.",
        ),
    },
    "The size of a terminal: the answer, then after each change.",
  ),
});
