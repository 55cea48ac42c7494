import { z } from "zod";
import { recordingFile, recordingSpec } from "../contract.ts";

const count = z.number().min(0);
/** A 64-bit number as text. */
const integer = z.string().regex(/^\d{1,20}$/);

const countsState = z.object({
  topics: z.array(z.object({ name: z.string(), messages: count, missed: count, dropped: count, last: integer.nullable() })),
  sums: z.object({ messages: count, bytes: count, missed: count, dropped: count }),
});
export type CountsState = z.infer<typeof countsState>;

/** A file that is being written. Its index, and what waits for the disk, are large bytes. */
export const fileState = z.object({
  name: z.string(),
  /** Times by the clock of the kernel, milliseconds. */
  begunAt: z.number(),
  lossesAt: z.number(),
  start: integer.nullable(),
  end: integer,
  messages: count,
  missed: count,
  dropped: count,
  writtenLosses: count,
  /** Bytes that were encoded so far, and those of them that are in the file. */
  position: count,
  written: count,
  topics: z.array(
    z.object({
      name: z.string(),
      id: count,
      definition: z.string(),
      definitionName: z.string(),
      encoding: z.string(),
      missed: count,
      dropped: count,
    }),
  ),
});
export type FileState = z.infer<typeof fileState>;

export const recordingState = z.object({
  spec: recordingSpec,
  state: z.enum(["recording", "stopped", "error"]),
  problem: z.string().nullable(),
  startedAt: z.number().nullable(),
  hasBegun: z.boolean(),
  files: z.array(recordingFile),
  counts: countsState,
  part: count,
  file: fileState.nullable(),
});
export type RecordingState = z.infer<typeof recordingState>;

/** State of the recorder of one host for the next program. */
export const recorderState = z.object({
  seq: count,
  recordings: z.array(recordingState),
  /** Lines of terminals that have no end yet. */
  lines: z.array(z.object({ process: z.string(), text: z.string() })),
});

/** Names of the descriptors and bytes of a recording. */
export function handedNames(recording: string) {
  return { lock: `lock ${recording}`, file: `file ${recording}`, index: `index ${recording}`, unwritten: `unwritten ${recording}` };
}

/** Descriptor and bytes of a file for the next program, beside its state. */
export interface HandedFile {
  readonly state: FileState;
  /** Null: it is not open yet. */
  readonly descriptor: number | null;
  readonly index: Uint8Array;
  readonly unwritten: Uint8Array;
}
