import type { Command } from "commander";
import { wordsOfProgram } from "../command-words.ts";
import type { Shell } from "../shell-name.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

/** The completion script of a program for a shell. */
export function scriptOf(shell: Shell, program: Command): string {
  const commands = wordsOfProgram(program);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

/** `mgr completion bash|zsh|fish` */
export function printScript(shell: Shell, program: Command): void {
  process.stdout.write(scriptOf(shell, program));
}
