import type { Command } from "commander";
import { didYouMean } from "../base/text/suggest.ts";

/** An error of the command line; for a command that does not exist, with a similar name. */
export function withSuggestion(program: Command, text: string): string {
  const [, word] = /unknown command '(.*)'/.exec(text) ?? [];
  if (word === undefined) return text;
  const group = program.commands.find((command) => command.name() === process.argv.slice(2).find((each) => each !== "help"));
  const candidates = (group ?? program).commands.map((command) => command.name());
  return text.replace(/\n?$/, `${didYouMean(word, candidates)}\n`);
}

/** `mgr help nosuch` and `mgr help topic nosuch` are errors; commander would print the help of the program. */
export function checkHelpWords(program: Command, [first, ...words]: readonly string[]): void {
  if (first !== "help") return;
  let command = program;
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) {
      if (!word.startsWith("-") && word !== "help")
        command.error(`error: unknown command '${word}'`, { code: "commander.unknownCommand", exitCode: 1 });
      return;
    }
    command = next;
  }
}
