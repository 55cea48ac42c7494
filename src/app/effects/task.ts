import { type AnyActorRef, fromPromise, type PromiseActorLogic } from "xstate";

/** Made once: `abort()` without a reason makes an exception with a stack trace, a tenth of a millisecond for each process that starts. */
const STOPPED = new Error("its actor has stopped");

/**
 * `fromPromise` with a signal that is aborted when the actor stops or its `life` ends. Thousands of them are made and stopped at once, so there
 * is one signal for each, not one of xstate joined with another by `AbortSignal.any`.
 */
export function fromTask<Output, Input>(
  life: (input: Input) => AbortSignal,
  run: (input: Input, signal: AbortSignal) => Promise<Output>,
): PromiseActorLogic<Output, Input> {
  const underWay = new WeakMap<AnyActorRef, AbortController>();
  const logic = fromPromise<Output, Input>(async ({ input, self }) => {
    const controller = new AbortController();
    underWay.set(self, controller);
    const whole = life(input);
    const end = () => controller.abort(whole.reason);
    if (whole.aborted) end();
    whole.addEventListener("abort", end);
    try {
      return await run(input, controller.signal);
    } finally {
      whole.removeEventListener("abort", end);
    }
  });
  return {
    ...logic,
    transition: (state, event, scope) => {
      if (event.type !== "xstate.stop" || state.status !== "active") return logic.transition(state, event, scope);
      underWay.get(scope.self)?.abort(STOPPED);
      return { ...state, status: "stopped", input: undefined };
    },
  };
}
