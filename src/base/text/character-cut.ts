/**
 * Number of bytes of `bytes` that can be decoded now: all but a UTF-8 sequence at the end that is valid so far and waits for its rest (at most 3
 * bytes). Invalid bytes are not waited for: they become U+FFFD, as in every streaming decoder.
 */
export function completeLength(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let start = end - 1; start >= 0 && start >= end - 3; start--) {
    const byte = bytes[start] ?? 0;
    if (isContinuation(byte)) continue;
    const expected = sequenceLength(byte);
    const isCut = expected > end - start && (end - start === 1 || isSecondByte(byte, bytes[start + 1] ?? 0));
    return isCut ? start : end;
  }
  return end;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Bytes of the sequence that `lead` begins; 1 for ASCII and for bytes that begin none. */
function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 1;
}

// The second byte rules out overlong forms, surrogates and code points beyond U+10FFFF (Unicode, table 3-7): a decoder
// gives such a sequence up at once, so it must not be waited for.
function isSecondByte(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second <= 0x9f;
  if (lead === 0xf0) return second >= 0x90;
  if (lead === 0xf4) return second <= 0x8f;
  return true;
}
