import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { McapWriter, TempBuffer } from "@mcap/core";

/** A message of a file: its topic, when it was recorded in milliseconds since BEGIN, and its value. */
export interface Written {
  readonly topic: string;
  readonly at: number;
  readonly value: unknown;
}

export interface FileOptions {
  readonly useChunks?: boolean;
  readonly compressChunk?: (bytes: Uint8Array) => { compression: string; compressedData: Uint8Array };
  /** Encoding of messages and definition of each topic; default: JSON. */
  readonly channels?: Readonly<Record<string, { encoding: string; schemaEncoding: string; definition: string }>>;
}

/** 2026-11-26T12:00:00Z, nanoseconds since 1970. */
export const BEGIN = 1_795_694_400_000_000_000n;
export const timeAt = (ms: number): bigint => BEGIN + BigInt(Math.round(ms * 1e6));
const JSON_CHANNEL = { encoding: "json", schemaEncoding: "jsonschema", definition: '{"type":"object"}' };

/** An MCAP file as another program writes it. */
export async function mcapBytes(messages: readonly Written[], { channels = {}, ...options }: FileOptions = {}): Promise<Uint8Array> {
  const buffer = new TempBuffer();
  const writer = new McapWriter({ writable: buffer, chunkSize: 1_000, ...options });
  await writer.start();
  const ids = new Map<string, number>();
  for (const [sequence, { topic, at, value }] of messages.entries()) {
    const { encoding, schemaEncoding, definition } = channels[topic] ?? JSON_CHANNEL;
    let channelId = ids.get(topic);
    if (channelId === undefined) {
      const data = new TextEncoder().encode(definition);
      const schemaId = await writer.registerSchema({ name: `demo/${topic}`, encoding: schemaEncoding, data });
      channelId = await writer.registerChannel({ topic, messageEncoding: encoding, schemaId, metadata: new Map() });
      ids.set(topic, channelId);
    }
    const data = value instanceof Uint8Array ? value : new TextEncoder().encode(JSON.stringify(value));
    await writer.addMessage({ channelId, sequence, logTime: timeAt(at), publishTime: timeAt(at), data });
  }
  await writer.end();
  return buffer.get();
}

export function folder(): string {
  return mkdtempSync(join(tmpdir(), "mgr-replay-"));
}

export async function mcapFile(path: string, messages: readonly Written[], options?: FileOptions): Promise<string> {
  writeFileSync(path, await mcapBytes(messages, options));
  return path;
}

/** Numbered messages of one topic, one every `intervalMs`. */
export function numbered(topic: string, count: number, intervalMs: number, first = 0): Written[] {
  return Array.from({ length: count }, (_, n) => ({ topic, at: first + n * intervalMs, value: { n } }));
}
