import { constants } from "node:os";
import { RTMAX, RTMIN } from "../../protocol/process/signals.ts";

/** How a child ended, as wait(2) tells it. */
export interface ChildExit {
  /** null if a signal ended it. */
  code: number | null;
  signal: string | null;
  /** It left a core dump. */
  dumpedCore: boolean;
}

/** Names by number; of two names for one the first that signal(7) has. */
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
