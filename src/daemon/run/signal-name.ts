import { MgrError } from "../../base/errors.ts";
import type { StopStep } from "../../contract/run.ts";
import { isSignal, type Signal } from "../../protocol/process/signals.ts";

/** Throws `bad_field` if a step names an unknown signal. */
export function checkSteps(steps: readonly StopStep[]): void {
  for (const step of steps) {
    if ("signal" in step) signalName(step.signal);
  }
}

/** Throws `bad_field` if the signal is unknown. */
export function signalName(text: string): Signal {
  if (!isSignal(text)) throw new MgrError("bad_field", `there is no signal '${text}'; use a name such as SIGTERM or SIGRTMIN+3`);
  return text;
}
