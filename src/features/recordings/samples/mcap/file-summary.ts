import { metadataOf, openIndexed } from "./indexed-file.ts";
import { LOSSES, lossesOf } from "./losses.ts";
import { REPAIRED } from "./repair.ts";

interface TopicSummary {
  readonly topic: string;
  readonly encoding: string;
  /** Name of the message definition; empty: there is none. */
  readonly definitionName: string;
  readonly messages: number;
  readonly missed: number;
  readonly dropped: number;
}

/** The content of a file according to its index. */
export interface McapFileSummary {
  readonly size: number;
  readonly messages: number;
  readonly topics: readonly TopicSummary[];
  /** Nanoseconds; null: there is no message. */
  readonly times: { readonly start: bigint; readonly end: bigint } | null;
  /** The newest metadata of each name. */
  readonly metadata: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly isRepaired: boolean;
}

/** Reads the index only. Rejects if the file has no index. */
export async function summaryOf(path: string): Promise<McapFileSummary> {
  const file = await openIndexed(path);
  try {
    const { channelsById, schemasById, statistics } = file.reader;
    const metadata = await metadataOf(file);
    const messages = Number(statistics?.messageCount ?? 0n);
    const times =
      statistics === undefined || messages === 0 ? null : { start: statistics.messageStartTime, end: statistics.messageEndTime };
    const topics = new Map<string, TopicSummary>();
    for (const { id, topic, messageEncoding, schemaId } of channelsById.values()) {
      const before = topics.get(topic)?.messages ?? 0;
      topics.set(topic, {
        topic,
        encoding: messageEncoding,
        definitionName: schemasById.get(schemaId)?.name ?? "",
        messages: before + Number(statistics?.channelMessageCounts.get(id) ?? 0n),
        ...lossesOf(metadata.get(LOSSES), topic),
      });
    }
    const isRepaired = metadata.has(REPAIRED);
    return { size: file.size, messages, topics: [...topics.values()], times, metadata, isRepaired };
  } finally {
    await file.close();
  }
}
