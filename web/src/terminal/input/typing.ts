import { MAX_PIECE_CHARACTERS, textPieces } from "../../../../src/base/text/text-pieces.ts";

/**
 * Sends typed text in order and without gaps. `send` resolves with whether the text was accepted. A text of several pieces, such as a long
 * paste, is sent piece by piece, and later text waits for its end; if a piece is refused, the rest is dropped. Otherwise keys do not wait.
 */
export function inOrder<T>(send: (text: string, more: T) => Promise<boolean>): (text: string, more: T) => void {
  /** Number of texts that wait or are being sent piece by piece, and the end of the last one. */
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
