import type { KeyEntry, Rule } from "../../model/conversion.ts";
import { UnfitValue } from "../../model/failure.ts";
import { asList, type Tree } from "../../model/tree.ts";
import { text } from "../../model/values.ts";
import type { ServiceConversion } from "./service.ts";
import { commandLine, type UnitCommand, unitCommands } from "./words.ts";

/** The command: those of ExecStartPre, then of ExecStart, in one shell where there are several. */
export const execStart: Rule<ServiceConversion> = (entry, context) => {
  const main = commandsOf(entry.tree, context);
  const before = context.section.get("ExecStartPre");
  const all = [...(before === undefined ? [] : commandsOf(before, context)), ...main];
  const last = all.at(-1);
  if (last === undefined) throw new UnfitValue("has no command");
  const parts = all.slice(0, -1).map((command) => (command.mayFail ? `{ ${commandLine(command)} || true; }` : commandLine(command)));
  const line = commandLine(last);
  context.draft.set(
    "command",
    parts.length === 0 && !last.mayFail ? line : [...parts, last.mayFail ? `{ ${line} || true; }` : `exec ${line}`].join(" && "),
  );
  context.carried(entry, "command");
  const prefixes = all.map(({ otherPrefixes }) => otherPrefixes).join("");
  if (/[+!|]/.test(prefixes))
    context.guessed(entry, "command", "its prefixes for privileges have no counterpart: it runs as the user of the process");
  if (prefixes.includes("@")) context.guessed(entry, "command", "the program sees its own name as the first argument");
};

export const execStartPre: Rule<ServiceConversion> = (entry, context) => {
  if (context.section.has("ExecStart"))
    context.guessed(entry, "command", "ExecStartPre runs in the same shell before each start, and shares its time-outs");
};

/** The first command of ExecStop: a signal to the main process is a signal here. */
export const execStop: Rule<ServiceConversion> = (entry, context) => {
  const [first, ...others] = commandsOf(entry.tree, context);
  if (first === undefined) throw new UnfitValue("has no command");
  const [, signal] = /^(?:\S*\/)?kill (?:-s )?-?(\w+) "?\$\{?MAINPID\}?"?$/.exec(first.words.join(" ")) ?? [];
  if (signal !== undefined && !/^\d+$/.test(signal)) {
    context.draft.set(
      "stop",
      new Map(context.draft.get("stop.timeout") === undefined ? [] : [["timeout", context.draft.get("stop.timeout")]]),
    );
    context.draft.set("stop.signal", signal.startsWith("SIG") ? signal : `SIG${signal}`);
    return context.guessed(entry, "stop", "it sends this signal to the main process; here the whole process tree gets it");
  }
  const line = commandLine(first);
  if (line.includes("MAINPID"))
    return context.dropped(entry, "it uses $MAINPID, which is not set here", "stop.signal, or stop.command without a pid");
  if (context.draft.get("stop.signal") !== undefined) return context.dropped(entry, "a stop has a command or a signal, not both");
  context.draft.set("stop.command", line);
  context.carried(entry, "stop.command");
  if (others.length > 0)
    context.dropped({ ...entry, key: `${entry.key} (further commands)` }, "a stop has one command", "a script with all of them");
};

function commandsOf(tree: Tree, context: ServiceConversion): UnitCommand[] {
  return asList(tree).flatMap((item) => unitCommands(text(item), (word) => context.specified(word)));
}

/** The words of all assignments of a key. */
export function wordsOf(entry: KeyEntry): { word: string; tree: Tree }[] {
  return asList(entry.tree).flatMap((tree) =>
    text(tree)
      .split(/\s+/)
      .filter((word) => word !== "")
      .map((word) => ({ word, tree })),
  );
}
