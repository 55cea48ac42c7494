import type { Command, Option } from "commander";
import type { Completion, Page } from "../../../cli/command/feature.ts";
import { pageOf } from "../../../cli/manual.ts";

/** The way in which a value is completed. */
export type Value =
  | { readonly kind: "file" | "folder" | "none" }
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** Names from the manager, of objects of these kinds. */
  | { readonly kind: "names"; readonly objects: readonly string[] };

export interface Described {
  readonly word: string;
  readonly about: string;
}

export interface OptionWords {
  /** `-c` and `--config`. */
  readonly words: readonly string[];
  readonly about: string;
  /** Null: the option has no value. */
  readonly value: Value | null;
}

export interface ArgumentWords {
  readonly value: Value;
  readonly isVariadic: boolean;
}

/** Everything that may follow a command. */
export interface CommandWords {
  /** The words of the command after `mgr`: "", "ps", "topic list". */
  readonly path: string;
  readonly commands: readonly Described[];
  readonly options: readonly OptionWords[];
  readonly arguments: readonly ArgumentWords[];
}

const HELP: OptionWords = { words: ["-h", "--help"], about: "display help for command", value: null };
const NONE: Value = { kind: "none" };
/** Values that are files or folders, by their name in the help. */
const PATHS: Readonly<Record<string, Value>> = { file: { kind: "file" }, path: { kind: "file" }, folder: { kind: "folder" } };

/** The words of every command of the program, the program itself first. */
export function wordsOfProgram(program: Command): CommandWords[] {
  const top = wordsOf(program, "");
  const help = { word: "help", about: "display help for command" };
  return [
    { ...top, commands: [...top.commands, help] },
    ...program.commands.flatMap((command) => withCommands(command, command.name())),
    { path: "help", commands: top.commands, options: [], arguments: [] },
    ...program.commands
      .filter(({ commands }) => commands.length > 0)
      .map((group) => ({ path: `help ${group.name()}`, commands: describedCommands(group), options: [], arguments: [] })),
  ];
}

function withCommands(command: Command, path: string): CommandWords[] {
  return [wordsOf(command, path), ...command.commands.flatMap((each) => withCommands(each, `${path} ${each.name()}`))];
}

function wordsOf(command: Command, path: string): CommandWords {
  const completes = pageOf(command)?.completes ?? {};
  return {
    path,
    commands: describedCommands(command),
    options: [...command.options.map((option) => optionWords(option, completes)), HELP],
    arguments: command.registeredArguments.map((argument) => ({
      value: completedValue(argument.name(), completes[argument.name()], argument.argChoices),
      isVariadic: argument.variadic,
    })),
  };
}

const describedCommands = ({ commands }: Command): Described[] =>
  commands.map((command) => ({ word: command.name(), about: command.description() }));

function optionWords(option: Option, completes: NonNullable<Page["completes"]>): OptionWords {
  const { short, long, description, required, optional, flags, argChoices } = option;
  const words = [short, long].flatMap((word) => word ?? []);
  const [, valueName = ""] = /[<[]([\w-]+)/.exec(flags) ?? [];
  const named = words.map((word) => completes[word]).find((each) => each !== undefined);
  return { words, about: description, value: required || optional ? completedValue(valueName, named, argChoices) : null };
}

function completedValue(name: string, completion: Completion | undefined, choices: readonly string[] | undefined): Value {
  if (choices !== undefined) return { kind: "words", words: choices };
  if (completion === undefined) return PATHS[name] ?? NONE;
  return "words" in completion ? { kind: "words", words: completion.words } : { kind: "names", objects: completion };
}
