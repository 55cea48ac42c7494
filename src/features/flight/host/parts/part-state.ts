import { z } from "zod";
import { fileState } from "../../../recordings/host/index.ts";
import { flightPart } from "../../contract.ts";

/** A part that is being written, for the next program. Its index, and what waits for the disk, are large bytes. */
export const writingState = z.object({
  part: flightPart,
  /** Place in the ring at which it continues. */
  number: z.int().min(0),
  offset: z.int().min(0),
  /** By the clock of the kernel, milliseconds. */
  endAt: z.number(),
  sentences: z.array(z.string()),
  losses: z.array(z.tuple([z.string(), z.number()])),
  file: fileState,
});
export type WritingState = z.infer<typeof writingState>;

export const partsState = z.object({ seq: z.int().min(0), parts: z.array(flightPart), writing: z.array(writingState) });
export type PartsState = z.infer<typeof partsState>;

/** Names of the descriptor and the bytes of a part. */
export function handedNames(incident: string) {
  return { file: `file ${incident}`, index: `index ${incident}`, unwritten: `unwritten ${incident}` };
}
