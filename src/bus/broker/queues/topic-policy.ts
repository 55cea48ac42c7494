/** Queueing of a topic's messages for receivers that read slowly. The publisher of the topic chooses it (docs/clients.md). */
export interface TopicPolicy {
  /** Priority among the topics of its own publisher: higher ones are sent first. */
  readonly priority: number;
  /** Maximum time that messages wait before they are dropped, milliseconds; null: they never are. */
  readonly maxAgeMs: number | null;
  /**
   * Maximum number of bytes that may wait for one receiver; beyond it, the publisher's messages are refused instead of dropping older ones.
   * null: the oldest are dropped.
   */
  readonly reliableBytes: number | null;
}

export const DEFAULT_POLICY: TopicPolicy = { priority: 0, maxAgeMs: null, reliableBytes: null };
