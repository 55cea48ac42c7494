import { open } from "node:fs/promises";
import { McapIndexedReader } from "@mcap/core";
import { REPAIRED } from "./repair.ts";

/** What the index of a file says about it. */
export interface McapFileSummary {
  readonly size: number;
  readonly messages: number;
  readonly topics: number;
  /** Nanoseconds; null: there is no message. */
  readonly times: { readonly start: bigint; readonly end: bigint } | null;
  /** The newest metadata of each name. */
  readonly metadata: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly isRepaired: boolean;
}

/** Reads the index only. Rejects for a file that has none. */
export async function summaryOf(path: string): Promise<McapFileSummary> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const readable = {
      size: async () => BigInt(size),
      read: async (offset: bigint, length: bigint) => {
        const bytes = new Uint8Array(Number(length));
        await file.read(bytes, 0, bytes.length, Number(offset));
        return bytes;
      },
    };
    const reader = await McapIndexedReader.Initialize({ readable });
    const metadata = new Map<string, ReadonlyMap<string, string>>();
    for await (const { name, metadata: values } of reader.readMetadata()) metadata.set(name, values);
    const messages = Number(reader.statistics?.messageCount ?? 0n);
    const times =
      reader.statistics === undefined || messages === 0
        ? null
        : { start: reader.statistics.messageStartTime, end: reader.statistics.messageEndTime };
    const topics = new Set([...reader.channelsById.values()].map(({ topic }) => topic)).size;
    return { size, messages, topics, times, metadata, isRepaired: metadata.has(REPAIRED) };
  } finally {
    await file.close();
  }
}
