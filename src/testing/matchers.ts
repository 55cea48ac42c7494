import { MgrError, messageOf } from "../base/errors.ts";
import type { GroupHandle } from "../client/handles/group-handle.ts";
import type { ProcessHandle } from "../client/handles/process-handle.ts";
import type { WaitOptions } from "../client/wait.ts";
import type { ProcessState } from "../protocol/resources/resources.ts";
import type { Recorder } from "./recorder.ts";

interface Verdict {
  pass: boolean;
  message: () => string;
}

/** The `this` with which runners call a matcher. */
type MatcherContext = { readonly isNot?: boolean } | undefined;

/** The matchers that `expect.extend(matchers)` adds; declare them as `interface Matchers<T> extends MgrMatchers<T> {}` of your runner. */
export interface MgrMatchers<R = unknown> {
  /** A process (or every process of a group) reaches this state; see `ProcessHandle.waitFor`. */
  toReach(state: ProcessState, options?: WaitOptions): Promise<R>;
  /** The output of a process matches, now or within the time; see `ProcessHandle.waitForOutput`. */
  toPrint(pattern: RegExp, options?: WaitOptions): Promise<R>;
  /** These lines were recorded in this order; others may be between them. */
  toHaveHappened(lines: readonly string[]): R;
}

/** Matchers for runners with `expect.extend` (vitest, jest). Failure messages give the reason, with the last output or the whole record. */
export const matchers = {
  toReach(this: MatcherContext, received: ProcessHandle | GroupHandle, state: ProcessState, options?: WaitOptions): Promise<Verdict> {
    return verdict(this, received.waitFor(state, options), `'${received.name}' reached '${state}'`);
  },
  toPrint(this: MatcherContext, received: ProcessHandle, pattern: RegExp, options?: WaitOptions): Promise<Verdict> {
    return verdict(this, received.waitForOutput(pattern, options), `'${received.name}' printed ${pattern}`);
  },
  toHaveHappened(received: Recorder, lines: readonly string[]): Verdict {
    const missing = firstMissing(received.lines, lines);
    return {
      pass: missing === null,
      message: () => (missing === null ? `all of it happened:\n${received.text()}` : describeMissing(missing, received)),
    };
  },
};

/** Does the same for `node:test` and any other runner: throws an Error that names the missing line, with the whole record. */
export function assertHappened(recorder: Recorder, lines: readonly string[]): void {
  const missing = firstMissing(recorder.lines, lines);
  if (missing === null) return;
  const error = new Error(describeMissing(missing, recorder));
  // Test runners show the place of the first line of the stack: that of the test.
  Error.captureStackTrace(error, assertHappened);
  throw error;
}

async function verdict(context: MatcherContext, wait: Promise<unknown>, what: string): Promise<Verdict> {
  try {
    await wait;
    return { pass: true, message: () => what };
  } catch (error) {
    // The error is thrown unchanged: its stack begins at the test's line, which the runner does not know of an asynchronous matcher. With `not`, a
    // rejected wait is the expected result; any other error is a defect of the test.
    if (context?.isNot !== true || !(error instanceof MgrError)) throw error;
    return { pass: false, message: () => messageOf(error) };
  }
}

function firstMissing(happened: readonly string[], lines: readonly string[]): string | null {
  let at = 0;
  for (const line of lines) {
    const found = happened.indexOf(line, at);
    if (found < 0) return line;
    at = found + 1;
  }
  return null;
}

function describeMissing(missing: string, recorder: Recorder): string {
  const text = recorder.text();
  return `this did not happen, or not in this order: ${missing}\nWhat happened:\n${text === "" ? "nothing" : text}`;
}
