import { setFlagsFromString } from "node:v8";
import { keepHeapSmallWhenQuiet } from "./quiet-heap.ts";

/**
 * By how much the old generation may grow after a collection before the next one begins, per cent (V8's default: about 130). With thousands of
 * processes a manager has a third less resident (docs/decisions/0043).
 */
const HEAP_GROWTH_PERCENT = 60;

/** Only for our own programs that stay, once they are up: a flag of the engine applies to the whole process. */
export function setEngineFlags(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  keepHeapSmallWhenQuiet();
}

/**
 * Shows V8 its default flags again; it reads the size of the semi-spaces only when Node starts. With other flags, V8 refuses the bytecode of
 * Node's own modules and compiles them: those that manager and daemon load after this take 15 ms more.
 */
export function flagsAsDefault(): void {
  if (process.execArgv.some((option) => option.startsWith("--max-semi-space-size="))) setFlagsFromString("--max-semi-space-size=0");
}
