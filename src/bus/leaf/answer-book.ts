import { addMessage, type MessageCount } from "../broker/broker-counters.ts";
import type { Envelope } from "../broker/parser/broker-operations.ts";
import { isInbox } from "./link-filter.ts";

/** Requests whose answers are awaited; the oldest ones are no longer counted. */
const MAX_AWAITED = 10_000;
/** Subjects of requests that are counted by themselves. */
const MAX_SUBJECTS = 1_000;
/** Requests to find services, not to use them. */
const DISCOVERY = "$SRV.";

export interface AnswerCount {
  /** Given to requesters of other brokers. */
  readonly given: MessageCount;
  /** Received for requesters of this one. */
  readonly received: MessageCount;
}

/** Answers that cross a link, by the subject of their requests: their own subjects are inboxes, which say nothing. */
export class AnswerBook {
  readonly #counts = new Map<string, AnswerCount>();
  /** By inbox, the subject of the request that was sent, and of the one that was received. */
  readonly #sent = new Map<string, string>();
  readonly #received = new Map<string, string>();

  entries(): IterableIterator<[string, AnswerCount]> {
    return this.#counts.entries();
  }

  /** A message is about to be sent over the link. */
  sends(envelope: Envelope): void {
    const { subject, reply, size } = envelope;
    if (reply !== null) awaitAnswer(this.#sent, reply, subject);
    const request = isInbox(subject) ? taken(this.#received, subject) : undefined;
    if (request !== undefined) this.#count(request, "given", size);
  }

  /** A message has come over the link. */
  receives(envelope: Envelope): void {
    const { subject, reply, size } = envelope;
    if (reply !== null) awaitAnswer(this.#received, reply, subject);
    const request = isInbox(subject) ? taken(this.#sent, subject) : undefined;
    if (request !== undefined) this.#count(request, "received", size);
  }

  #count(subject: string, which: keyof AnswerCount, bytes: number): void {
    const known = this.#counts.get(subject);
    if (known === undefined && this.#counts.size >= MAX_SUBJECTS) return;
    const count = known ?? { given: { msgs: 0, bytes: 0 }, received: { msgs: 0, bytes: 0 } };
    this.#counts.set(subject, count);
    addMessage(count[which], bytes);
  }
}

function awaitAnswer(requests: Map<string, string>, reply: string, subject: string): void {
  if (!isInbox(reply) || isInbox(subject) || subject.startsWith(DISCOVERY)) return;
  for (const oldest of requests.keys()) {
    if (requests.size < MAX_AWAITED) break;
    requests.delete(oldest);
  }
  requests.set(reply, subject);
}

function taken(requests: Map<string, string>, inbox: string): string | undefined {
  const subject = requests.get(inbox);
  if (subject !== undefined) requests.delete(inbox);
  return subject;
}
