import { open } from "node:fs/promises";
import { McapIndexedReader } from "@mcap/core";

/** All messages of a file as @mcap/core's indexed reader finds them: by its index, which an incomplete file lacks. */
export async function readIndexed(path: string) {
  const file = await open(path, "r");
  try {
    const readable = {
      size: async () => BigInt((await file.stat()).size),
      read: async (offset: bigint, size: bigint) => {
        const buffer = new Uint8Array(Number(size));
        await file.read(buffer, 0, buffer.length, Number(offset));
        return buffer;
      },
    };
    const reader = await McapIndexedReader.Initialize({ readable });
    const messages: { topic: string; schema: string; sequence: number; logTime: bigint; publishTime: bigint; data: Buffer }[] = [];
    for await (const { channelId, sequence, logTime, publishTime, data } of reader.readMessages()) {
      const channel = reader.channelsById.get(channelId);
      const schema = reader.schemasById.get(channel?.schemaId ?? 0)?.name ?? "";
      messages.push({ topic: channel?.topic ?? "", schema, sequence, logTime, publishTime, data: Buffer.from(data) });
    }
    const metadata: { name: string; values: Record<string, string> }[] = [];
    for await (const record of reader.readMetadata()) metadata.push({ name: record.name, values: Object.fromEntries(record.metadata) });
    return { messages, metadata, statistics: reader.statistics, channels: [...reader.channelsById.values()] };
  } finally {
    await file.close();
  }
}
