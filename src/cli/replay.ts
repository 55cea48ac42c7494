import type { Readable, Writable } from "node:stream";

/** A question that every terminal answers, and its answer: what was asked before it has been answered by then. */
const ARE_YOU_WELL = "\x1b[5n";
const I_AM_WELL = "\x1b[0n";
/** A terminal that does not answer is not waited for any longer, milliseconds. */
const PATIENCE_MS = 500;
/** What terminals write by themselves when they are asked: attributes, positions, modes, sizes, settings, colours (xterm, ctlseqs). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: replies are made of control characters.
const REPLIES = /\x1b\[[?>=]?[\d;]*(?:[cnRt]|\$y)|\x1b[P\]][^\x07\x1b]*(?:\x07|\x1b\\)/gu;

interface Ends {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Writable & { isTTY?: boolean };
}

/**
 * Shows output of the past on this terminal, which must be in raw mode, and takes away the terminal's replies to what
 * programs asked in it: they are not for the program that runs now. Resolves with what a person typed meanwhile.
 */
export function replay(output: string, { stdin, stdout }: Ends): Promise<string> {
  if (!stdin.isTTY || !stdout.isTTY || !output.includes("\x1b")) {
    stdout.write(output);
    return Promise.resolve("");
  }
  return new Promise((resolve) => {
    let heard = "";
    const finish = () => {
      clearTimeout(patience);
      stdin.off("data", listen);
      stdin.pause();
      resolve(heard.replace(REPLIES, ""));
    };
    const listen = (data: Buffer) => {
      heard += data.toString();
      if (heard.includes(I_AM_WELL)) finish();
    };
    const patience = setTimeout(finish, PATIENCE_MS);
    stdin.on("data", listen);
    stdout.write(output + ARE_YOU_WELL);
  });
}
