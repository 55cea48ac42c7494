import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** A question that every terminal answers, and its answer: what was asked before it has been answered by then. */
const ARE_YOU_WELL = "\x1b[5n";
const I_AM_WELL = "\x1b[0n";
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character.
const MARGINS = /\x1b\[[\d;]*r/u;
/** The whole screen scrolls again, and the cursor stays. */
const WHOLE_SCREEN = "\x1b7\x1b[r\x1b8";
/** A terminal that does not answer is not waited for any longer; what it answers after all is known for so long. Milliseconds. */
const PATIENCE_MS = 500;
const LATEST_ANSWER_MS = 10_000;
/** What terminals write by themselves when they are asked: attributes, positions, modes, sizes, settings, colours (xterm, ctlseqs). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: replies are made of control characters.
const REPLIES = /\x1b\[[?>=]?[\d;]*(?:[cnRt]|\$y)|\x1b[P\]][^\x07\x1b]*(?:\x07|\x1b\\)/gu;

interface Ends {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Writable & { isTTY?: boolean };
}

export interface Replayed {
  /** What a person typed meanwhile. */
  readonly early: string;
  /** Decodes what is typed later, without the replies that come after all, over a slow line. */
  readonly late: (typed: Buffer) => string;
  /** What is left of a character whose end never came. */
  readonly rest: () => string;
}

/**
 * Shows output of the past on this terminal, which must be in raw mode, and takes away the terminal's replies to what
 * programs asked in it: they are not for the program that runs now.
 */
export function replay(output: string, { stdin, stdout }: Ends): Promise<Replayed> {
  // Bytes of one character may come before and after the end of the past.
  const decoder = new StringDecoder("utf8");
  const replayed = (early: string, filter: (typed: string) => string): Replayed => ({
    early,
    late: (typed) => filter(decoder.write(typed)),
    rest: () => decoder.end(),
  });
  if (!stdin.isTTY || !stdout.isTTY || !output.includes("\x1b")) {
    stdout.write(output);
    return Promise.resolve(replayed("", unchanged));
  }
  return new Promise((resolve) => {
    let heard = "";
    const finish = () => {
      clearTimeout(patience);
      stdin.off("data", listen);
      stdin.pause();
      resolve(replayed(heard.replace(REPLIES, ""), heard.includes(I_AM_WELL) ? unchanged : withoutLateReplies()));
    };
    const listen = (data: Buffer) => {
      heard += decoder.write(data);
      if (heard.includes(I_AM_WELL)) finish();
    };
    const patience = setTimeout(finish, PATIENCE_MS);
    stdin.on("data", listen).resume();
    // A change of size resets margins, but output of the past does not show when the size changed.
    stdout.write(output + (MARGINS.test(output) ? WHOLE_SCREEN : "") + ARE_YOU_WELL);
  });
}

function unchanged(typed: string): string {
  return typed;
}

/** Until the last question is answered, or will not be any more. */
function withoutLateReplies(): (typed: string) => string {
  const until = performance.now() + LATEST_ANSWER_MS;
  let isOver = false;
  return (typed) => {
    if (isOver || performance.now() > until) return typed;
    isOver = typed.includes(I_AM_WELL);
    return typed.replace(REPLIES, "");
  };
}
