import { constants } from "node:os";
import { z } from "zod";
import { RTMAX, RTMIN } from "../../protocol/process/signals.ts";

/** Exit status of a child, as reported by wait(2). */
export interface ChildExit {
  /** Exit code; null if a signal ended it. */
  code: number | null;
  signal: string | null;
  /** Whether the process left a core dump. */
  dumpedCore: boolean;
  /** Null or left out: not known. */
  usage?: ChildUsage | null;
}

/** The resources that a child used until its end, with its descendants that it had waited for. */
export const childUsage = z
  .object({
    cpuMs: z.number(),
    /** The most resident memory of one process, bytes. */
    maxMemory: z.number(),
    majorFaults: z.number(),
    readBytes: z.number(),
    writtenBytes: z.number(),
    contextSwitches: z.number(),
  })
  .readonly();
export type ChildUsage = z.infer<typeof childUsage>;

/** Size of the blocks that the kernel counts, bytes. */
const BLOCK_BYTES = 512;

/** `words`: those of `struct rusage` (getrusage(2)). */
export function decodeUsage(words: readonly number[]): ChildUsage {
  const at = (index: number) => words[index] ?? 0;
  return {
    cpuMs: 1_000 * (at(0) + at(2)) + (at(1) + at(3)) / 1_000,
    maxMemory: 1_024 * at(4),
    majorFaults: at(9),
    readBytes: BLOCK_BYTES * at(11),
    writtenBytes: BLOCK_BYTES * at(12),
    contextSwitches: at(16) + at(17),
  };
}

/** Signal names by number; if a number has two names, the first one in signal(7). */
const NAMES = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name] as const),
);
const CORE_FLAG = 0x80;

export function decodeWaitStatus(status: number): ChildExit {
  const number = status & 0x7f;
  if (number === 0) return { code: (status >> 8) & 0xff, signal: null, dumpedCore: false };
  return { code: null, signal: signalOf(number), dumpedCore: (status & CORE_FLAG) !== 0 };
}

/** `SIGTERM`, `SIGRTMIN+3`, `SIGRTMAX-1`: as shells name them. */
function signalOf(number: number): string {
  const name = NAMES.get(number);
  if (name !== undefined) return name;
  if (number < RTMIN || number > RTMAX) return `SIG${number}`;
  const above = number - RTMIN;
  const below = RTMAX - number;
  if (above <= 15) return above === 0 ? "SIGRTMIN" : `SIGRTMIN+${above}`;
  return below === 0 ? "SIGRTMAX" : `SIGRTMAX-${below}`;
}
