import { type AnyActorRef, createActor, fromTransition, type InspectionEvent } from "xstate";
import type { Clock } from "../base/timing/clock.ts";

/** Maximum number of actors of one family: when one of them stops, xstate examines the timers of all. */
const MAX_MEMBERS = 100;

/** Ignores how its children end: a failed one must end neither this actor nor its siblings. */
const parentLogic = fromTransition((state: null, event: { readonly type: "stop"; readonly actor: AnyActorRef }, scope) => {
  if (event.type === "stop") scope.stopChild(event.actor);
  return state;
}, null);

interface FamilyOptions {
  readonly clock: Pick<Clock, "setTimeout" | "clearTimeout">;
  readonly inspect: ((event: InspectionEvent) => void) | undefined;
}

/**
 * Actors that share what xstate keeps for a root actor and all actors below it: 1.9 KB, which each root has for itself. Their parent does nothing, and
 * does not count them, so that neither the failures nor the number of its children matter to it.
 */
export class ActorFamily {
  readonly #parent;
  #members = 0;

  constructor({ clock, inspect }: FamilyOptions) {
    this.#parent = createActor(parentLogic, { id: "family", clock, ...(inspect === undefined ? {} : { inspect }) });
    this.#parent.start();
  }

  get isFull(): boolean {
    return this.#members >= MAX_MEMBERS;
  }

  /** The parent of a new actor. */
  join(): AnyActorRef {
    this.#members += 1;
    return this.#parent;
  }

  /** Stops one of its actors. */
  stop(actor: AnyActorRef): void {
    this.#parent.send({ type: "stop", actor });
  }
}
