/** The only method of authentication that is used here. */
const MIT_COOKIE = "MIT-MAGIC-COOKIE-1";
export const COOKIE_BYTES = 16;
/** Matches every address. */
const FAMILY_WILD = 0xffff;

/** An Xauthority file with one cookie, for displays with any address and number. */
export function xauthorityOf(cookie: Uint8Array): Uint8Array {
  const method = new TextEncoder().encode(MIT_COOKIE);
  const family = new Uint8Array([FAMILY_WILD >> 8, FAMILY_WILD & 0xff]);
  const empty = new Uint8Array(0);
  return joined([family, ...[empty, empty, method, cookie].flatMap((field) => [lengthOf(field), field])]);
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
