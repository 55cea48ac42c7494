const encoder = new TextEncoder();

/** Whether a text has `minimum` to `maximum` characters: code points, as JSON Schema counts them, not UTF-16 units. */
export function hasLength(text: string, minimum: number, maximum: number): boolean {
  if (text.length <= maximum) return text.length >= minimum;
  // Counts no further than needed: texts of clients may be long.
  if (text.length > 2 * maximum) return false;
  let count = 0;
  for (const _ of text) count++;
  return count <= maximum;
}

/** The first `maximum` characters of a text, with an ellipsis if there are more. */
export function shortened(text: string, maximum: number): string {
  if (text.length <= maximum) return text;
  // Examines no more than needed: texts of clients may be long.
  const characters = [...text.slice(0, 2 * maximum + 2)];
  return characters.length > maximum ? `${characters.slice(0, maximum).join("")}…` : text;
}

/** Whether `text` has at most `maximum` bytes in UTF-8. Encodes only if the length does not decide it. */
export function fitsInUtf8(text: string, maximum: number): boolean {
  if (text.length > maximum) return false;
  return text.length * 3 <= maximum || encoder.encode(text).length <= maximum;
}
