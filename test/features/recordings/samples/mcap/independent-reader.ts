/**
 * Reads an MCAP file from beginning to end, written from the specification (https://mcap.dev/spec) alone, without the code that writes it.
 * Uncompressed chunks only.
 */
export interface ReadMessage {
  readonly topic: string;
  readonly encoding: string;
  readonly schema: string;
  readonly definition: string;
  readonly sequence: number;
  readonly logTime: bigint;
  readonly publishTime: bigint;
  readonly data: Buffer;
}

export interface ReadFile {
  readonly profile: string;
  readonly library: string;
  readonly messages: readonly ReadMessage[];
  readonly metadata: readonly { readonly name: string; readonly values: Readonly<Record<string, string>> }[];
  readonly messageCount: bigint;
  readonly chunks: number;
}

const MAGIC = Buffer.from([0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a]);

class Cursor {
  at = 0;
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  get left(): number {
    return this.bytes.length - this.at;
  }
  take(length: number): Buffer {
    if (this.left < length) throw new Error(`the record ends ${length - this.left} bytes early`);
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  u16 = () => this.take(2).readUInt16LE();
  u32 = () => this.take(4).readUInt32LE();
  u64 = () => this.take(8).readBigUInt64LE();
  text = () => new TextDecoder("utf-8", { fatal: true }).decode(this.take(this.u32()));
  map(): Record<string, string> {
    const inner = new Cursor(this.take(this.u32()));
    const values: Record<string, string> = {};
    while (inner.left > 0) {
      const key = inner.text();
      values[key] = inner.text();
    }
    return values;
  }
}

/** `isCut`: the file may end anywhere; then what is complete before counts. */
export function readMcap(file: Buffer, { isCut = false } = {}): ReadFile {
  if (!isCut && !file.subarray(0, 8).equals(MAGIC)) throw new Error("no magic at the beginning");
  if (!isCut && !file.subarray(file.length - 8).equals(MAGIC)) throw new Error("no magic at the end");
  const schemas = new Map<number, { name: string; text: string }>([[0, { name: "", text: "" }]]);
  const channels = new Map<number, { topic: string; encoding: string; schema: number }>();
  const messages: ReadMessage[] = [];
  const metadata: { name: string; values: Record<string, string> }[] = [];
  const found = { profile: "", library: "", messageCount: -1n, chunks: 0 };
  let hasEnded = false;

  const readAll = (cursor: Cursor) => {
    while (cursor.left > 0) {
      const opcode = cursor.take(1)[0];
      read(opcode ?? 0, new Cursor(cursor.take(Number(cursor.u64()))));
    }
  };
  const readUntilCut = (cursor: Cursor) => {
    while (cursor.left >= 9 && !hasEnded) {
      const opcode = cursor.take(1)[0] ?? 0;
      const length = Number(cursor.u64());
      if (length > cursor.left) return;
      read(opcode, new Cursor(cursor.take(length)));
    }
  };
  const read = (opcode: number, record: Cursor) => {
    switch (opcode) {
      case 0x01:
        found.profile = record.text();
        found.library = record.text();
        break;
      case 0x03: {
        const id = record.u16();
        const name = record.text();
        record.text();
        schemas.set(id, { name, text: record.take(record.u32()).toString() });
        break;
      }
      case 0x04: {
        const id = record.u16();
        const schema = record.u16();
        channels.set(id, { topic: record.text(), encoding: record.text(), schema });
        break;
      }
      case 0x05: {
        const channel = channels.get(record.u16());
        const schema = channel && schemas.get(channel.schema);
        if (channel === undefined || schema === undefined) throw new Error("a message without its channel or schema before it");
        const { topic, encoding } = channel;
        const [sequence, logTime, publishTime] = [record.u32(), record.u64(), record.u64()];
        const data = record.take(record.left);
        messages.push({ topic, encoding, schema: schema.name, definition: schema.text, sequence, logTime, publishTime, data });
        break;
      }
      case 0x06: {
        found.chunks++;
        record.take(16);
        const size = record.u64();
        record.u32();
        if (record.text() !== "") throw new Error("a compressed chunk");
        if (record.u64() !== size) throw new Error("a chunk with two sizes");
        readAll(new Cursor(record.take(Number(size))));
        break;
      }
      case 0x0b:
        found.messageCount = record.u64();
        break;
      case 0x0c:
        if (!hasEnded) metadata.push({ name: record.text(), values: record.map() });
        break;
      case 0x0f:
        hasEnded = true;
        break;
      default:
    }
  };
  if (isCut) readUntilCut(new Cursor(file.subarray(8)));
  else readAll(new Cursor(file.subarray(8, file.length - 8)));
  return { ...found, messages, metadata };
}
