import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** A request that every terminal answers, and its answer: earlier requests have been answered by then. */
const ARE_YOU_WELL = "\x1b[5n";
const I_AM_WELL = "\x1b[0n";
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character.
const MARGINS = /\x1b\[[\d;]*r/u;
/** Makes the whole screen scroll again; the cursor stays. */
const WHOLE_SCREEN = "\x1b7\x1b[r\x1b8";
/** Maximum wait for a terminal's answer, and time for which late answers are recognized. Milliseconds. */
const TIMEOUT_MS = 500;
const MAX_ANSWER_MS = 10_000;
/** Replies of terminals to requests: attributes, positions, modes, sizes, settings, colours (xterm, ctlseqs). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: replies are made of control characters.
const REPLIES = /\x1b\[[?>=]?[\d;]*(?:[cnRt]|\$y)|\x1b[P\]][^\x07\x1b]*(?:\x07|\x1b\\)/gu;

interface Ends {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Writable & { isTTY?: boolean };
}

export interface Replayed {
  /** Input that was typed meanwhile. */
  readonly early: string;
  /** Decodes later input, without late replies of a terminal over a slow line. */
  readonly late: (typed: Buffer) => string;
  /** Returns the rest of an incomplete character. */
  readonly rest: () => string;
}

/**
 * Shows past output on this terminal, which must be in raw mode, and drops the terminal's replies to requests in it: they are not for the
 * program that runs now.
 */
export function replay(output: string, { stdin, stdout }: Ends): Promise<Replayed> {
  // Bytes of one character may arrive before and after the end of the past.
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
      clearTimeout(timeout);
      stdin.off("data", listen);
      stdin.pause();
      resolve(replayed(heard.replace(REPLIES, ""), heard.includes(I_AM_WELL) ? unchanged : withoutLateReplies()));
    };
    const listen = (data: Buffer) => {
      heard += decoder.write(data);
      if (heard.includes(I_AM_WELL)) finish();
    };
    const timeout = setTimeout(finish, TIMEOUT_MS);
    stdin.on("data", listen).resume();
    // A change of size resets margins, but output of the past does not show when the size changed.
    stdout.write(output + (MARGINS.test(output) ? WHOLE_SCREEN : "") + ARE_YOU_WELL);
  });
}

function unchanged(typed: string): string {
  return typed;
}

/** Drops replies until the last request is answered, or will not be any more. */
function withoutLateReplies(): (typed: string) => string {
  const until = performance.now() + MAX_ANSWER_MS;
  let isOver = false;
  return (typed) => {
    if (isOver || performance.now() > until) return typed;
    isOver = typed.includes(I_AM_WELL);
    return typed.replace(REPLIES, "");
  };
}
