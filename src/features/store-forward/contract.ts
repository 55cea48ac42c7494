import { z } from "zod";
import { count, session } from "../../contract/fields.ts";

/** Maximum number of topics in one answer about kept samples: more would not fit into a message. */
export const MAX_SHOWN_TOPICS = 500;

/** What kept samples of a topic wait for. */
export const KEPT_STATES = ["empty", "link_cut", "no_subscriber", "unconfirmed", "share_used", "sending"] as const;
export type KeptState = (typeof KEPT_STATES)[number];

/** What a host keeps while its link to the hub is cut. */
export const storeForwardSpec = z.object({
  /** Topics by fnmatch pattern; none: nothing is kept. */
  topics: z.array(z.string().min(1).max(1_024)).max(1_000),
  max_bytes: z.int().min(65_536),
  max_age_ms: z.int().min(1),
  /** Part of the link that kept samples may use, from 0 to 1. */
  share: z.number().positive().max(1),
  /** Bytes per second of the link; null: as measured. */
  bandwidth: z.number().positive().nullable(),
});
export type StoreForwardSpec = z.infer<typeof storeForwardSpec>;

const keptTopic = z.object({
  topic: z.string().max(1_024),
  state: z.enum(KEPT_STATES),
  /** Until it is tried again; null: that is not known. */
  wait_ms: z.number().min(0).nullable(),
  /** Samples that wait, and their bytes on the disk. */
  samples: count,
  bytes: count,
  /** Since the oldest one was received; null: none waits. */
  oldest_age_ms: z.number().min(0).nullable(),
  /** Samples since the start of the daemon: confirmed by a subscriber, and dropped. */
  sent: count,
  dropped: count,
});
export type HostKeptTopic = z.infer<typeof keptTopic>;

export const STORE_FORWARD_REQUESTS = {
  /** The topics of which the host has kept samples since its start: this one, or all, those with most bytes first. `other_topics`: how many are left out. */
  store_forward_status: {
    request: z.object({ session, topic: z.string().max(1_024).nullable() }),
    response: z.object({ topics: z.array(keptTopic).max(MAX_SHOWN_TOPICS), other_topics: count }),
  },
  /** What the host keeps, in place of what was said before; it saves it for its next start. Null: nothing. */
  store_forward_configure: { request: z.object({ session, spec: storeForwardSpec.nullable() }), response: z.object({}) },
} as const;
