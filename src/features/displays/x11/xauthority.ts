import type { X11Authorization } from "./setup.ts";

/** The only method of authentication in use here. */
export const MIT_COOKIE = "MIT-MAGIC-COOKIE-1";
export const COOKIE_BYTES = 16;
const FAMILY_INTERNET = 0;
/** Family of an address that is a host name. */
const FAMILY_LOCAL = 256;
/** Family that matches every address. */
const FAMILY_WILD = 0xffff;

/** An Xauthority file with one cookie, for displays with any address and number. */
export function xauthorityOf(cookie: Uint8Array): Uint8Array {
  const method = new TextEncoder().encode(MIT_COOKIE);
  const family = new Uint8Array([FAMILY_WILD >> 8, FAMILY_WILD & 0xff]);
  const empty = new Uint8Array(0);
  return joined([family, ...[empty, empty, method, cookie].flatMap((field) => [lengthOf(field), field])]);
}

/** A display as named in Xauthority files. */
export interface DisplayAddress {
  readonly number: number;
  /** Name of this machine. */
  readonly hostName: string;
  /** IPv4 address of the X server; null: it is on this machine. */
  readonly ip: string | null;
}

/** The cookie of a display in an Xauthority file, or null. A damaged file is read up to the damage. */
export function cookieIn(file: Uint8Array, { number, hostName, ip }: DisplayAddress): X11Authorization | null {
  for (const entry of entriesOf(file)) {
    if (entry.name !== MIT_COOKIE || (entry.number !== "" && entry.number !== String(number))) continue;
    const isLocal = entry.family === FAMILY_LOCAL && ip === null && latin1(entry.address) === hostName;
    const isRemote = entry.family === FAMILY_INTERNET && ip !== null && entry.address.join(".") === ip;
    if (entry.family === FAMILY_WILD || isLocal || isRemote) return { name: MIT_COOKIE, data: entry.data };
  }
  return null;
}

interface Entry {
  family: number;
  address: Uint8Array;
  number: string;
  name: string;
  data: Uint8Array;
}

function* entriesOf(file: Uint8Array): Generator<Entry> {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  let at = 0;
  const field = (): Uint8Array | null => {
    if (at + 2 > file.length) return null;
    const end = at + 2 + view.getUint16(at);
    const value = end > file.length ? null : new Uint8Array(file.subarray(at + 2, end));
    at = end;
    return value;
  };
  while (at + 2 <= file.length) {
    const family = view.getUint16(at);
    at += 2;
    const [address, number, name, data] = [field(), field(), field(), field()];
    if (!address || !number || !name || !data) return;
    yield { family, address, number: latin1(number), name: latin1(name), data };
  }
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

function lengthOf(field: Uint8Array): Uint8Array {
  return new Uint8Array([field.length >> 8, field.length & 0xff]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
