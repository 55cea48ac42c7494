import { HEADER_BYTES, type Layout, LONG, SHORT, WORD_BYTES } from "./layout.ts";
import { checksum } from "./slot.ts";

/** "MGLH", read as a word: a file of a machine with another byte order is none. */
const MAGIC = 0x484c474d;
const VERSION = 1;
const WORDS = { magic: 0, version: 1, series: 2, short: 3, long: 4, nameBytes: 5, checksum: 6 } as const;
const NAME_AT = 32;
/** Longest name that a file can have, bytes. */
const MAX_NAME_BYTES = HEADER_BYTES - NAME_AT;

export interface Header {
  readonly name: string;
  readonly layout: Layout;
}

export const fitsHeader = (name: string): boolean => Buffer.byteLength(name) <= MAX_NAME_BYTES;

/** The first bytes of a file. */
export function encodeHeader({ name, layout }: Header): Buffer {
  const bytes = new ArrayBuffer(HEADER_BYTES);
  const words = new Uint32Array(bytes);
  const text = Buffer.from(name);
  Buffer.from(bytes).set(text.subarray(0, MAX_NAME_BYTES), NAME_AT);
  words[WORDS.magic] = MAGIC;
  words[WORDS.version] = VERSION;
  words[WORDS.series] = layout.series;
  words[WORDS.short] = layout.slots[SHORT];
  words[WORDS.long] = layout.slots[LONG];
  words[WORDS.nameBytes] = text.length;
  words[WORDS.checksum] = headerChecksum(words);
  return Buffer.from(bytes);
}

/** Null: it is no header, or a damaged one. `bytes` begin at the start of their buffer. */
export function decodeHeader(bytes: ArrayBuffer): Header | null {
  if (bytes.byteLength < HEADER_BYTES) return null;
  const words = new Uint32Array(bytes, 0, HEADER_BYTES / WORD_BYTES);
  const [, , series = 0, short = 0, long = 0, nameBytes = 0] = words;
  if (words[WORDS.magic] !== MAGIC || words[WORDS.version] !== VERSION || words[WORDS.checksum] !== headerChecksum(words)) return null;
  if (nameBytes > MAX_NAME_BYTES || series === 0 || short === 0 || long === 0) return null;
  return { name: Buffer.from(bytes, NAME_AT, nameBytes).toString(), layout: { series, slots: [short, long] } };
}

function headerChecksum(words: Uint32Array): number {
  const checked = Uint32Array.from(words);
  checked[WORDS.checksum] = 0;
  return checksum(checked, 0, checked.length, VERSION);
}
