import { MAX_PIECE_CHARACTERS, textPieces } from "../../../src/base/text-pieces.ts";

/**
 * Sends what is typed, in order and without a hole. `send` resolves with whether the text was taken. A text of several
 * pieces, as a long paste is, goes piece by piece, and what is typed after it waits for its end; of one that is refused on
 * the way the rest is dropped. Keys wait for nothing else.
 */
export function inOrder<T>(send: (text: string, more: T) => Promise<boolean>): (text: string, more: T) => void {
  /** Texts that wait, or are under way piece by piece, and the end of the last of them. */
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  const sendPieces = async (text: string, more: T, before: Promise<void>) => {
    await before;
    for (const piece of textPieces(text)) if (!(await send(piece, more))) break;
    waiting--;
  };
  return (text, more) => {
    if (waiting === 0 && text.length <= MAX_PIECE_CHARACTERS) void send(text, more);
    else {
      waiting++;
      last = sendPieces(text, more, last);
    }
  };
}
