import { createInterface } from "node:readline/promises";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";

const ENTER = /[\r\n]/;
const INTERRUPT = "\u0003";
const END = "\u0004";
const ERASE = /[\b\u007f]/;
const ERASE_LINE = "\u0015";

/** Asks on the terminal for a line, without echo. */
export async function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // Set before the question: an immediate answer must not be echoed.
  stdin.setRawMode(true);
  stderr.write(question);
  stdin.setEncoding("utf8");
  let line = "";
  try {
    for await (const typed of stdin.iterator({ destroyOnReturn: false })) {
      for (const character of String(typed)) {
        if (ENTER.test(character)) return line;
        if (character === INTERRUPT || (character === END && line === "")) throw new CommandFailure(EXIT.failed, "nothing was changed");
        if (ERASE.test(character)) line = [...line].slice(0, -1).join("");
        else if (character === ERASE_LINE) line = "";
        else line += character;
      }
    }
    throw new CommandFailure(EXIT.failed, "nothing was changed");
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}

/** Asks a question on the terminal; Enter alone means yes. */
export async function askYesNo(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D close it, and the question would never be answered.
  const closed = new AbortController();
  terminal.once("close", () => closed.abort());
  try {
    return /^\s*(y|yes)?\s*$/i.test(await terminal.question(`${question} [Y/n] `, { signal: closed.signal }));
  } catch {
    throw new CommandFailure(EXIT.failed, "nothing was changed");
  } finally {
    terminal.close();
  }
}
