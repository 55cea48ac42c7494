import { setFlagsFromString } from "node:v8";

/**
 * How much of a function's bytecode runs before V8 makes machine code of it, bytes (its own: 66 to 132 KiB). What a key
 * runs through is short: at ten keys a second it would be interpreted for an hour, from memory that no cache holds after
 * a rest (docs/decisions/0017).
 */
const INTERRUPT_BUDGET_BYTES = 2_000;

/** For programs of our own, once they are up: a flag of the engine holds for the whole process. */
export function optimizeEarly(): void {
  setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET_BYTES}`);
}
