import { addMessage, type MessageCount } from "../broker-counters.ts";
import type { AnswersState } from "../handover/subject-state.ts";
import type { Envelope } from "../parser/broker-operations.ts";
import { isInbox } from "./link-filter.ts";

/** Maximum number of requests whose answers are awaited; the answers to older ones are not counted. */
const MAX_AWAITED = 10_000;
/** Maximum number of subjects of requests that are counted individually. */
const MAX_SUBJECTS = 1_000;
/** Requests that discover services are not counted. */
const DISCOVERY = "$SRV.";

export interface AnswerCount {
  /** Answers given to requesters of other brokers. */
  readonly given: MessageCount;
  /** Answers received for requesters of this broker. */
  readonly received: MessageCount;
}

/** Counts answers that cross a link, by the subject of their requests: their own subjects are inboxes, which have no meaning. */
export class AnswerBook {
  readonly #counts = new Map<string, AnswerCount>();
  /** Subjects of sent and of received requests, by inbox. */
  readonly #sent = new Map<string, string>();
  readonly #received = new Map<string, string>();

  entries(): IterableIterator<[string, AnswerCount]> {
    return this.#counts.entries();
  }

  handOver(): AnswersState[] {
    return [...this.#counts].map(([subject, { given, received }]) => ({ subject, given: { ...given }, received: { ...received } }));
  }

  /** Continues the counts of an earlier broker. */
  adopt(answers: readonly AnswersState[]): void {
    for (const { subject, given, received } of answers) this.#counts.set(subject, { given, received });
  }

  /** Called before a message is sent over the link. */
  sends(envelope: Envelope): void {
    const { subject, reply, size } = envelope;
    if (reply !== null) awaitAnswer(this.#sent, reply, subject);
    const request = isInbox(subject) ? taken(this.#received, subject) : undefined;
    if (request !== undefined) this.#count(request, "given", size);
  }

  /** Called when a message has arrived over the link. */
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
