import { channel } from "node:diagnostics_channel";
import { setFlagsFromString } from "node:v8";
import { keepHeapSmallWhenQuiet } from "./quiet-heap.ts";

/**
 * How much of a function's bytecode runs before V8 considers compiling it to machine code, bytes (V8's default: 66 KiB). While there is
 * little to do, a small one: the code on the path of a keystroke runs too rarely to be compiled at the default (docs/decisions/0017), and a
 * keystroke costs 23 to 65 % more processor time in the manager, 20 to 38 % more in the daemon, and its echo takes 27 to 58 % longer
 * (bench/keystroke-echo.ts). In a burst, and while a program loads, a large one: a thousand starts are over before what is compiled for
 * them pays. At the default, V8's threads that compile took more than half of the processor time of the first thousand starts.
 */
const BUDGET_BYTES = { quiet: 2_000, burst: 1_000_000 };

/** V8's default in the versions of Node named here, bytes: it cannot be asked for. */
const DEFAULT_BUDGET_BYTES = process.version.startsWith("v20.") ? 67_584 : null;

/**
 * How much bytecode of called functions V8 compiles into a function together with its own, bytes (V8's default: 920). In the first thousand
 * starts of a program, the threads that compile take as much processor time as all the rest; they take less with smaller pieces. At 200, a
 * keystroke costs more (docs/performance.md).
 */
const INLINED_BYTES = 400;

/**
 * By how much the old generation may grow after a collection before the next one begins, per cent (V8's default: about 130). Collections run
 * beside the program, on threads of their own, and stop it for 10 to 20 ms each.
 */
const HEAP_GROWTH_PERCENT = 60;

/** Published to by programs that stay, once they are up and before flags of the engine change. */
export const STARTED = "mgr.started";

/**
 * Compiles less while `work` runs. Bytecode that is loaded meanwhile is not kept, and that of Node's own modules is refused: load what is
 * needed before. Only for our own programs.
 */
export async function compilingLess<T>(work: () => Promise<T>): Promise<T> {
  if (DEFAULT_BUDGET_BYTES === null) return work();
  setBudget(BUDGET_BYTES.burst);
  try {
    return await work();
  } finally {
    setBudget(DEFAULT_BUDGET_BYTES);
  }
}

/** Starting more processes takes so long that code is better compiled early, also that which runs before: V8 counts on with the old budget. */
export const MAX_BURST_PROCESSES = 3_000;

/** How long a burst may last, ms: compiled code pays in a longer one. */
const BURST_MS = 2_000;
/** Bursts that follow one another so closely are one long one, ms. */
const REST_MS = 3_000;

/** When the next burst may begin, by the monotonic clock, ms; null: the flags are not set in this program. */
let nextBurstFrom: number | null = null;

/** Many processes are about to start or stop. Does nothing where the flags are not set. */
export function expectBurst(): void {
  const now = performance.now();
  if (nextBurstFrom === null || now < nextBurstFrom) return;
  nextBurstFrom = now + BURST_MS + REST_MS;
  setBudget(BUDGET_BYTES.burst);
  setTimeout(() => setBudget(BUDGET_BYTES.quiet), BURST_MS).unref();
}

interface EngineOptions {
  /** How many may start with the program. */
  readonly processes?: number;
  /** Returns memory of the C library's heap; this file is also part of programs that load no native library. */
  readonly giveBack: () => void;
}

/** Only for our own programs, once they are up: a flag of the engine applies to the whole process. */
export function setEngineFlags({ processes = 0, giveBack }: EngineOptions): void {
  channel(STARTED).publish(undefined);
  nextBurstFrom = 0;
  setBudget(BUDGET_BYTES.quiet);
  // They start with the program.
  if (processes <= MAX_BURST_PROCESSES) expectBurst();
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${INLINED_BYTES}`);
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  keepHeapSmallWhenQuiet(giveBack);
}

function setBudget(bytes: number): void {
  setFlagsFromString(`--interrupt-budget=${bytes}`);
}

/** Size of one semi-space of the young generation, MiB (V8's default: 16). */
const SEMI_SPACE = "--max-semi-space-size";

/**
 * Options of Node for our own programs that stay. Right after 1,000 starts, manager and daemon together have 30 to 40 MiB less resident, a
 * minute later 130 in one run; the starts take as much processor time (docs/performance.md).
 */
export const NODE_OPTIONS = [`${SEMI_SPACE}=4`] as const;

/**
 * Shows V8 its default flags again; it reads the size of the semi-spaces only when Node starts. With other flags, V8 refuses the bytecode of
 * Node's own modules and compiles them: those that manager and daemon load after this take 15 ms more.
 */
export function flagsAsDefault(): void {
  if (process.execArgv.some((option) => option.startsWith(`${SEMI_SPACE}=`))) setFlagsFromString(`${SEMI_SPACE}=0`);
}
