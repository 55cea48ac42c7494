import { setFlagsFromString } from "node:v8";
import { keepHeapSmallWhenQuiet } from "./quiet-heap.ts";

/**
 * Growth of the old generation after a collection at which the next one begins, per cent (V8's default: about 130). With thousands of processes a
 * manager has a third less resident (docs/decisions/0043).
 */
const HEAP_GROWTH_PERCENT = 60;

/** Used only in our own long-running programs, once they are up: a flag of the engine applies to the whole process. */
export function setEngineFlags(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  keepHeapSmallWhenQuiet();
}

/**
 * Resets V8's flags to their defaults; it reads the size of the semi-spaces only when Node starts. With other flags, V8 refuses the bytecode of
 * Node's own modules and compiles them: those that manager and daemon load after this would take 15 ms more.
 */
export function flagsAsDefault(): void {
  if (process.execArgv.some((option) => option.startsWith("--max-semi-space-size="))) setFlagsFromString("--max-semi-space-size=0");
}
