import { z } from "zod";
import { subjectTrace } from "../../bus/broker/trace/subject-trace.ts";
import { count, session } from "../../contract/fields.ts";
import { EMPTY_LIST, listPage } from "../../contract/pages.ts";
import { registryChange } from "../../contract/registry.ts";

/** Changes of one host's tables, in order. `seq` counts these messages over the life of the daemon. */
const dataPlaneEvent = z.object({ seq: count, changes: z.array(registryChange) });
export type DataPlaneEvent = z.infer<typeof dataPlaneEvent>;

export const DATA_PLANE_REQUESTS = {
  /** The tables of clients, topics and services as of event `seq`: a list of the changes that create them. Without a broker it is empty. */
  data_plane: { request: z.object({ session }), response: z.object({ ...listPage, seq: count }) },
  /** Topics that a client of another host published first, each with the message for clients of this host. Always the whole list. */
  lose_topics: {
    request: z.object({
      session,
      topics: z.array(z.object({ subject: z.string().max(1_024), message: z.string().max(1_024) })).max(10_000),
    }),
    response: z.object({}),
  },
  /** State of a topic in the host's broker. `quiet_ms`: since the last message of its publisher; null: not known. */
  trace_topic: {
    request: z.object({ session, subject: z.string().max(1_024) }),
    response: z.object({ trace: subjectTrace, quiet_ms: z.number().min(0).nullable() }),
  },
} as const;

export const DATA_PLANE_NEWS = { data_plane: dataPlaneEvent } as const;

/** `data_seq`: number of the last change of the host's clients, topics and services; omitted by a host without a broker. */
export const DATA_PLANE_HEARTBEAT = { data_seq: count.exactOptional() } as const;

/** The tables of a host without a broker. */
export const NO_DATA_PLANE = { data_plane: { ...EMPTY_LIST, seq: 0 } } as const;

/** Checks of topic definitions by the brokers of manager and hosts. */
export const DATA_PLANE_CHECKS = {
  checkDefinition: async () => (await import("./samples/checked-definition.ts")).checkedDefinition,
} as const;
