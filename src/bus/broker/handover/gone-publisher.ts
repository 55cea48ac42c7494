import type { SubjectCounters } from "../broker-counters.ts";
import type { Subscriber } from "../broker-subscriber.ts";
import type { HandedFlow } from "./handed-queue.ts";

/** The publisher of messages that were queued before the program was replaced, and that is no client of this broker any more. */
export class GonePublisher implements Subscriber {
  readonly id: number;
  readonly fairKey: string | number;
  readonly isOrdered: boolean;
  readonly published: SubjectCounters[] = [];
  readonly echo = false;
  readonly link = null;
  readonly connection = null;

  constructor({ publisher, key, isOrdered }: HandedFlow) {
    this.id = publisher;
    this.fairKey = key;
    this.isOrdered = isOrdered;
  }

  mayReceive(): boolean {
    return false;
  }

  /** Not called: it has no subscription. */
  deliver(): boolean {
    return false;
  }
}
