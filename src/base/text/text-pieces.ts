/** Maximum number of UTF-16 units of a piece, at most three bytes each in UTF-8: it fits into a `send_stdin`, which accepts 64 KiB. */
export const MAX_PIECE_CHARACTERS = 16_384;

/** `text` in pieces of at most MAX_PIECE_CHARACTERS, none of which ends between the two units of a character. */
export function* textPieces(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = start + MAX_PIECE_CHARACTERS;
    if (isSurrogate(text, end - 1, 0xd800) && isSurrogate(text, end, 0xdc00)) end--;
    yield text.slice(start, end);
    start = end;
  }
}

/** Whether the unit at `index` is one of the 1,024 from `first` on. */
function isSurrogate(text: string, index: number, first: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === first;
}
