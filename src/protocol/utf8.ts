const encoder = new TextEncoder();

/** Whether `text` has at most `maximum` bytes in UTF-8. Encodes only where the length leaves it open. */
export function fitsInUtf8(text: string, maximum: number): boolean {
  if (text.length > maximum) return false;
  return text.length * 3 <= maximum || encoder.encode(text).length <= maximum;
}
