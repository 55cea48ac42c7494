import { McapStreamReader, type McapTypes } from "@mcap/core";

/** A source of messages: McapIndexedReader, or the messages so far of a file without an index. */
export interface MessageReader {
  readonly channelsById: ReadonlyMap<
    number,
    { readonly topic: string; readonly messageEncoding: string; readonly schemaId: number; readonly metadata: ReadonlyMap<string, string> }
  >;
  readonly schemasById: ReadonlyMap<number, { readonly encoding: string; readonly data: Uint8Array }>;
  readonly statistics?:
    | {
        readonly messageStartTime: bigint;
        readonly messageEndTime: bigint;
        readonly channelMessageCounts: ReadonlyMap<number, bigint>;
      }
    | undefined;
  /** Reads messages in the order of their times, or the newest first. */
  readMessages(requested: {
    topics?: readonly string[];
    startTime?: bigint;
    endTime?: bigint;
    reverse?: boolean;
  }): AsyncIterable<{ channelId: number; logTime: bigint; data: Uint8Array }>;
}

/** Reads all complete messages of a file that is still being written, which has no index yet. */
export function growingReader(bytes: Uint8Array): MessageReader {
  const channelsById = new Map<number, McapTypes.Channel>();
  const schemasById = new Map<number, McapTypes.Schema>();
  const messages: McapTypes.Message[] = [];
  const reader = new McapStreamReader({ validateCrcs: false });
  reader.append(bytes);
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
    if (record.type === "Channel") channelsById.set(record.id, record);
    else if (record.type === "Schema") schemasById.set(record.id, record);
    else if (record.type === "Message") messages.push(record);
  }
  messages.sort((a, b) => (a.logTime < b.logTime ? -1 : a.logTime > b.logTime ? 1 : 0));
  const counts = new Map<number, bigint>();
  for (const { channelId } of messages) counts.set(channelId, (counts.get(channelId) ?? 0n) + 1n);
  return {
    channelsById,
    schemasById,
    statistics: {
      messageStartTime: messages[0]?.logTime ?? 0n,
      messageEndTime: messages.at(-1)?.logTime ?? 0n,
      channelMessageCounts: counts,
    },
    async *readMessages({ topics, startTime = 0n, endTime, reverse = false }) {
      const requested = new Set(topics);
      for (const message of reverse ? messages.toReversed() : messages) {
        const isInside = message.logTime >= startTime && (endTime === undefined || message.logTime <= endTime);
        if (isInside && requested.has(channelsById.get(message.channelId)?.topic ?? "")) yield message;
      }
    },
  };
}
