import { z } from "zod";
import type { SubjectCounters } from "../broker-counters.ts";
import type { ClientSubscription } from "../broker-subscriber.ts";
import type { Waiting } from "../queues/fair-queue.ts";

/** Maximum number of subscribers in one trace. */
const MAX_SUBSCRIBERS = 1_000;

const count = z.number().min(0);

/** The state of one subject in one broker: who publishes it, who receives it, what was lost. Counters grow; those of subscribers begin with their connection. */
export const subjectTrace = z.object({
  /** Messages of the broker's own clients. */
  published: count,
  /** Messages that other brokers sent. */
  received: count,
  links: z.array(
    z.object({
      /** "hub", or the user name of the leaf. */
      name: z.string(),
      is_up: z.boolean(),
      waiting: count,
      /** Messages of this subject that the other side did not read fast enough. */
      dropped: count,
    }),
  ),
  subscribers: z
    .array(
      z.object({
        connection: count,
        /** Messages of all subjects of its subscriptions that match this one. */
        delivered: count,
        waiting: count,
        dropped: count,
        /** Whether a role hides this subject from its subscription with a wildcard. */
        hidden: z.boolean(),
      }),
    )
    .max(MAX_SUBSCRIBERS),
  /** Connections whose subscription to exactly this subject was refused. */
  refused: z.array(count).max(MAX_SUBSCRIBERS),
});
export type SubjectTrace = z.infer<typeof subjectTrace>;

/** A client, as far as a trace needs it. */
interface TracedClient {
  readonly id: number;
  readonly subscriptions: ReadonlyMap<string, ClientSubscription>;
  readonly refusedSubjects: ReadonlySet<string>;
  readonly connection: { waiting(): ReadonlyMap<string, Waiting> };
  droppedOf(subject: string): number;
  mayReceive(subject: string): boolean;
}

interface TraceParts {
  readonly subject: string;
  readonly counters: Pick<SubjectCounters, "msgs" | "foreign"> | undefined;
  readonly clients: Iterable<TracedClient>;
  readonly links: SubjectTrace["links"];
  readonly matches: (pattern: string) => boolean;
}

export function traceSubject({ subject, counters, clients, links, matches }: TraceParts): SubjectTrace {
  const subscribers: SubjectTrace["subscribers"] = [];
  const refused: number[] = [];
  for (const client of clients) {
    if (client.refusedSubjects.has(subject) && refused.length < MAX_SUBSCRIBERS) refused.push(client.id);
    const own = [...client.subscriptions.values()].filter((subscription) => matches(subscription.subject));
    if (own.length === 0 || subscribers.length >= MAX_SUBSCRIBERS) continue;
    subscribers.push({
      connection: client.id,
      delivered: own.reduce((sum, { delivered }) => sum + delivered, 0),
      waiting: client.connection.waiting().get(subject)?.msgs ?? 0,
      dropped: client.droppedOf(subject),
      hidden: own.every(({ isFiltered }) => isFiltered) && !client.mayReceive(subject),
    });
  }
  const { msgs = 0, foreign = { msgs: 0 } } = counters ?? {};
  return { published: msgs - foreign.msgs, received: foreign.msgs, links, subscribers, refused };
}
