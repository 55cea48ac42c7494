import { MgrError } from "../../../base/errors.ts";
import { MAX_OUTPUT_BYTES } from "../limits.ts";

const TERMINAL = "mgr/terminal/";
/** The position in the whole output, before the bytes of each message. */
const OFFSET_BYTES = 8;
/** Pieces of output that are read at most: a terminal that is written byte by byte must not keep the manager busy. */
const MAX_PIECES = 10_000;
/** Processes that are named where one has no output. */
const MAX_NAMED = 20;

export interface IncidentOutput {
  readonly text: string;
  /** Whether there was more before it. */
  readonly is_cut: boolean;
}

/** The last output of a process before a time, nanoseconds since 1970, as the file at `path` has it. Rejects with `not_found`. */
export async function outputBefore(path: string, process: string, until: bigint | null): Promise<IncidentOutput> {
  // Loaded with the first incident that is read: the reader of MCAP files takes 0.4 MB.
  const { openIndexed } = await import("../../recordings/samples/mcap/indexed-file.ts");
  const file = await openIndexed(path);
  try {
    const topics = new Set([...file.reader.channelsById.values()].map(({ topic }) => topic));
    if (!topics.has(`${TERMINAL}${process}`)) throw noOutput(process, topics);
    const pieces: Uint8Array[] = [];
    let size = 0;
    let first = 0n;
    const wanted = { topics: [`${TERMINAL}${process}`], reverse: true, ...(until === null ? {} : { endTime: until }) };
    for await (const { data } of file.reader.readMessages(wanted)) {
      const bytes = Buffer.from(data);
      first = bytes.readBigUInt64LE();
      const piece = bytes.subarray(OFFSET_BYTES);
      pieces.unshift(piece);
      size += piece.length;
      if (size > MAX_OUTPUT_BYTES || pieces.length >= MAX_PIECES) break;
    }
    const bytes = Buffer.concat(pieces);
    return { text: new TextDecoder().decode(bytes.subarray(lastFrom(bytes))), is_cut: size > MAX_OUTPUT_BYTES || first > 0n };
  } finally {
    await file.close();
  }
}

/** Where the last bytes begin that an answer may have; not within a character. */
function lastFrom(bytes: Uint8Array): number {
  let from = Math.max(0, bytes.length - MAX_OUTPUT_BYTES);
  while (from > 0 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
  return from;
}

function noOutput(process: string, topics: ReadonlySet<string>): MgrError {
  const names = [...topics].flatMap((topic) => (topic.startsWith(TERMINAL) ? [topic.slice(TERMINAL.length)] : [])).sort();
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  const known = names.length === 0 ? "it has that of no process" : `it has that of ${names.slice(0, MAX_NAMED).join(", ")}${more}`;
  return new MgrError("not_found", `the incident has no output of '${process}': ${known}`);
}
