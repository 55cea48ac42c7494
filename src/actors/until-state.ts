import type { AnyActorRef } from "xstate";

/**
 * Resolves with true once `isMet` holds after a step of the actor, or with false if the actor is stopped or fails first. Without an observer of
 * failures, an actor that fails would end the program.
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
