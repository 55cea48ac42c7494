/** The first packet of an X client: byte order, version, authorization (X Window System Protocol, section "Connection Setup"). */
export interface X11Setup {
  readonly isBigEndian: boolean;
  readonly major: number;
  readonly minor: number;
  /** Null: the client sent none. */
  readonly authorization: X11Authorization | null;
  /** Size of the packet, bytes. */
  readonly length: number;
}

export interface X11Authorization {
  /** Name of the method, such as MIT-MAGIC-COOKIE-1. */
  readonly name: string;
  readonly data: Uint8Array;
}

/** Maximum size of the name and of the data of an authorization, bytes. Those in use have 18 and 16. */
const MAX_NAME_BYTES = 64;
const MAX_DATA_BYTES = 256;
const HEAD_BYTES = 12;
/** Maximum size of a setup packet, bytes. */
export const MAX_SETUP_BYTES = HEAD_BYTES + MAX_NAME_BYTES + MAX_DATA_BYTES;
/** Maximum size of the reason of a refusal, bytes: its length is one byte. */
const MAX_REASON_BYTES = 255;
const BIG_ENDIAN = 0x42;
const LITTLE_ENDIAN = 0x6c;
const PROTOCOL_MAJOR = 11;

/** Parses the packet at the beginning of `bytes`; null: more bytes are needed. Throws if it is not a setup packet. */
export function parseSetup(bytes: Uint8Array): X11Setup | null {
  const [order] = bytes;
  if (order === undefined) return null;
  if (order !== BIG_ENDIAN && order !== LITTLE_ENDIAN) throw new Error("it does not speak X11: its first byte is no byte order");
  if (bytes.length < HEAD_BYTES) return null;
  const isBigEndian = order === BIG_ENDIAN;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const [major, minor, nameLength, dataLength] = [2, 4, 6, 8].map((at) => view.getUint16(at, !isBigEndian)) as [
    number,
    number,
    number,
    number,
  ];
  if (nameLength > MAX_NAME_BYTES || dataLength > MAX_DATA_BYTES)
    throw new Error(`its authorization is longer than ${MAX_NAME_BYTES} and ${MAX_DATA_BYTES} bytes (name and data)`);
  const dataStart = HEAD_BYTES + padded(nameLength);
  const length = dataStart + padded(dataLength);
  if (bytes.length < length) return null;
  const name = String.fromCharCode(...bytes.subarray(HEAD_BYTES, HEAD_BYTES + nameLength));
  const data = new Uint8Array(bytes.subarray(dataStart, dataStart + dataLength));
  return { isBigEndian, major, minor, authorization: nameLength + dataLength === 0 ? null : { name, data }, length };
}

/** Encodes the setup packet. */
export function setupPacket({ isBigEndian, major, minor, authorization }: Omit<X11Setup, "length">): Uint8Array {
  const { name, data } = authorization ?? { name: "", data: new Uint8Array(0) };
  const dataStart = HEAD_BYTES + padded(name.length);
  const bytes = new Uint8Array(dataStart + padded(data.length));
  const view = new DataView(bytes.buffer);
  bytes[0] = isBigEndian ? BIG_ENDIAN : LITTLE_ENDIAN;
  for (const [index, value] of [major, minor, name.length, data.length].entries()) view.setUint16(2 + 2 * index, value, !isBigEndian);
  bytes.set(
    Array.from(name, (character) => character.charCodeAt(0)),
    HEAD_BYTES,
  );
  bytes.set(data, dataStart);
  return bytes;
}

/** The answer of an X server that refuses a client; the client shows the reason. */
export function setupFailed({ isBigEndian }: Pick<X11Setup, "isBigEndian">, reason: string): Uint8Array {
  const text = cut(new TextEncoder().encode(reason));
  const bytes = new Uint8Array(8 + padded(text.length));
  const view = new DataView(bytes.buffer);
  bytes[1] = text.length;
  view.setUint16(2, PROTOCOL_MAJOR, !isBigEndian);
  view.setUint16(6, padded(text.length) / 4, !isBigEndian);
  bytes.set(text, 8);
  return bytes;
}

/** Compares in a time that does not depend on the bytes. */
export function isAuthorized({ authorization }: Pick<X11Setup, "authorization">, wanted: X11Authorization): boolean {
  if (authorization?.name !== wanted.name || authorization.data.length !== wanted.data.length) return false;
  let difference = 0;
  for (const [index, byte] of wanted.data.entries()) difference |= byte ^ (authorization.data[index] ?? 0);
  return difference === 0;
}

/** Length of a field with its padding: fields are padded to 4 bytes. */
export function padded(length: number): number {
  return (length + 3) & ~3;
}

/** Cuts UTF-8 to at most MAX_REASON_BYTES, without splitting a character. */
function cut(text: Uint8Array): Uint8Array {
  if (text.length <= MAX_REASON_BYTES) return text;
  let end = MAX_REASON_BYTES;
  while (end > 0 && ((text[end] ?? 0) & 0xc0) === 0x80) end--;
  return text.subarray(0, end);
}
