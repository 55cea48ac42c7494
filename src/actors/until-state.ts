import type { AnyActorRef } from "xstate";

/**
 * Resolves once `isMet` holds after a step of the actor: true; or once the actor has ended, because it was stopped or has failed: false.
 * Without an observer of failures, one that fails would end the program.
 */
export function untilState(actor: AnyActorRef, isMet: () => boolean): Promise<boolean> {
  if (isMet()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const subscription = actor.subscribe({
      next: () => {
        if (!isMet()) return;
        subscription.unsubscribe();
        resolve(true);
      },
      error: () => resolve(false),
      complete: () => resolve(isMet()),
    });
  });
}
