import { re2SyntaxOf } from "./re2-syntax.ts";

/** Time that one attempt of JavaScript's engine may take, milliseconds. */
const MAX_ATTEMPT_MS = 30;
/** An attempt that was interrupted before it had this processor time is repeated: other programs had the processor, milliseconds. */
const MIN_ATTEMPT_CPU_MS = 10;
const MAX_REPEATS = 10;
/** The next attempt waits this many times as long as a slow one took, so that a program spends at most a tenth of its time on it. */
const PAUSE_FACTOR = 9;
/** A search is slow if it takes more processor time than this, milliseconds. */
const SLOW_MS = 20;
/** Maximum text in which RE2 searches, characters: its newest part. It needs up to 50 ns for each. */
const MAX_RE2_CHARACTERS = 262_144;

interface Search {
  /** The match in the first text that has one; null: there is none. undefined: that could not be decided in time. */
  readonly match: RegExpMatchArray | null | undefined;
  /** Time that the caller waits before the next search, milliseconds; 0: none. */
  readonly pauseMs: number;
}

/** The part of `re2js` that is used. */
interface Re2 {
  matcher(text: string): { find(): boolean; start(): number; groupCount(): number; group(index: number): string | null };
}

/**
 * A regular expression whose search cannot block the program. JavaScript's engine searches, with a limit of time if the expression has groups or
 * more repetitions than one at its end: its time may grow exponentially with the text. If the limit is reached once, RE2 searches from then on, whose time is linear, if it
 * has all of the expression's syntax. In a browser, which has no such limit, RE2 searches from the beginning.
 */
export class GuardedPattern {
  readonly #expression: RegExp;
  readonly #isCheap: boolean;
  #re2: Re2 | "loading" | "none" | null = null;

  /** The expression must not have the flags `g` and `y`. */
  constructor(expression: RegExp) {
    this.#expression = expression;
    this.#isCheap = isCheap(expression);
    if (!this.#isCheap && nodeVm() === null) void this.#loadRe2();
  }

  /** Searches one text after the other. */
  search(texts: readonly string[]): Search {
    const begin = cpuMs();
    let match: Search["match"] = null;
    for (const text of texts) {
      const found = this.#isCheap ? this.#expression.exec(text) : this.#match(text);
      match = found ?? (match === undefined ? undefined : found);
      if (match) break;
    }
    const ms = cpuMs() - begin;
    const isSlow = match === undefined || (!this.#isCheap && ms > SLOW_MS);
    return { match, pauseMs: isSlow ? Math.ceil(PAUSE_FACTOR * ms) + 1 : 0 };
  }

  #match(text: string): RegExpMatchArray | null | undefined {
    if (typeof this.#re2 === "object" && this.#re2 !== null && !this.#isSplit(text)) return re2Match(this.#re2, text);
    const vm = nodeVm();
    // Without a limit of time, RE2 is awaited as long as it may be able to search.
    if (vm === null) return this.#re2 === "loading" ? undefined : this.#expression.exec(text);
    const isFound = vm.test(this.#expression, text);
    if (isFound === null) void this.#loadRe2();
    // The search has ended in time, so it does again.
    return isFound === null ? undefined : isFound ? this.#expression.exec(text) : null;
  }

  /** Without the flag `u`, JavaScript sees a character beyond U+FFFF as two. */
  #isSplit(text: string): boolean {
    return !this.#expression.unicode && /[\ud800-\udfff]/.test(text);
  }

  async #loadRe2(): Promise<void> {
    if (this.#re2 !== null) return;
    const source = re2SyntaxOf(this.#expression);
    this.#re2 = source === null ? "none" : "loading";
    if (source === null) return;
    try {
      const { RE2JS } = await import("re2js");
      this.#re2 = RE2JS.compile(source);
    } catch {
      // RE2 refuses it, for instance because it is too large: JavaScript's engine is used instead.
      this.#re2 = "none";
    }
  }
}

/** Whether an expression repeats at most its last character, and has no groups: the time of a search is then linear in the text. */
function isCheap({ source, flags }: RegExp): boolean {
  if (flags.includes("v")) return false;
  return /^[^*+?{(]*[*+?]?\??$/.test(source.replace(/\\[\s\S]|\[(?:[^\]\\]|\\[\s\S])*\]/g, "x"));
}

function re2Match(re2: Re2, text: string): RegExpMatchArray | null {
  const from = Math.max(0, text.length - MAX_RE2_CHARACTERS);
  const matcher = re2.matcher(from === 0 ? text : text.slice(from));
  if (!matcher.find()) return null;
  const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index) ?? undefined);
  return Object.assign(groups, { index: from + matcher.start(), input: text }) as RegExpMatchArray;
}

interface VmModule {
  createContext(globals: object): object;
  Script: new (code: string) => { runInContext(context: object, options: { timeout: number }): unknown };
}

/** Searches with a limit of time, in Node: its module `vm` interrupts the engine. */
class TimedSearch {
  readonly #globals: { expression: RegExp | null; text: string } = { expression: null, text: "" };
  readonly #context: object;
  readonly #script: InstanceType<VmModule["Script"]>;

  constructor(vm: VmModule) {
    this.#context = vm.createContext(this.#globals);
    this.#script = new vm.Script("expression.test(text)");
  }

  /** Whether it is found; null: not decided within the limit. */
  test(expression: RegExp, text: string): boolean | null {
    Object.assign(this.#globals, { expression, text });
    try {
      let isFound: boolean | null = null;
      for (let repeats = 0; isFound === null && repeats <= MAX_REPEATS; repeats++) {
        const begin = cpuMs();
        isFound = this.#attempt();
        if (cpuMs() - begin >= MIN_ATTEMPT_CPU_MS) break;
      }
      return isFound;
    } finally {
      Object.assign(this.#globals, { expression: null, text: "" });
    }
  }

  #attempt(): boolean | null {
    try {
      return this.#script.runInContext(this.#context, { timeout: MAX_ATTEMPT_MS }) === true;
    } catch (error) {
      // Not `instanceof`: the error is of the other context.
      const isTimeOut = typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
      if (isTimeOut) return null;
      throw error;
    }
  }
}

/** The part of Node that this file uses, if it runs there. */
const { process: node } = globalThis as {
  process?: { getBuiltinModule?(name: string): unknown; cpuUsage?(): { user: number; system: number } };
};

/** Processor time of this program, milliseconds; in a browser the time of day. It does not grow while other programs have the processor. */
function cpuMs(): number {
  const used = node?.cpuUsage?.();
  return used === undefined ? performance.now() : (used.user + used.system) / 1_000;
}

let timedSearch: TimedSearch | null = null;

/** null: this is not Node. The module is loaded with the first expression that needs it; this file serves pages, too. */
function nodeVm(): TimedSearch | null {
  if (timedSearch !== null) return timedSearch;
  const vm = node?.getBuiltinModule?.("node:vm") as VmModule | undefined;
  timedSearch = vm === undefined ? null : new TimedSearch(vm);
  return timedSearch;
}
