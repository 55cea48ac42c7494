/** How the messages of a topic wait for receivers that read slowly. The publisher of the topic chooses it (docs/clients.md). */
export interface TopicPolicy {
  /** Among the topics of its own publisher: higher ones are sent first. */
  readonly priority: number;
  /** Messages that have waited longer are dropped, milliseconds; null: they never are. */
  readonly maxAgeMs: number | null;
  /**
   * Bytes that may wait for one receiver; beyond them, the publisher's messages are refused instead of dropping older ones. null: the oldest
   * are dropped.
   */
  readonly reliableBytes: number | null;
}

export const DEFAULT_POLICY: TopicPolicy = { priority: 0, maxAgeMs: null, reliableBytes: null };
