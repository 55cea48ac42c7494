import { constants } from "node:os";
import { RTMAX, RTMIN } from "../../protocol/process/signals.ts";

/** Exit status of a child, as reported by wait(2). */
export interface ChildExit {
  /** Exit code; null if a signal ended it. */
  code: number | null;
  signal: string | null;
  /** Whether the process left a core dump. */
  dumpedCore: boolean;
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
