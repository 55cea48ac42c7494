import { Command } from "commander";
import { visibleLines } from "../base/text/visible-text.ts";
import { CLI_FEATURES } from "../features/cli.ts";
import { VERSION } from "../http/package-files.ts";
import { setAbsenceSources } from "./command/absence-sources.ts";
import { setDataFolders } from "./command/data-folders.ts";
import type { CommandGroup } from "./command/feature.ts";
import { CONFIGURATION } from "./commands/configuration/program.ts";
import { INSTANCE } from "./commands/instance/program.ts";
import { MESSAGES } from "./commands/messages/program.ts";
import { PROCESSES } from "./commands/processes/program.ts";
import { SETUP } from "./commands/setup/program.ts";
import { setSelectors } from "./manager/selectors.ts";
import { addManual } from "./manual.ts";
import { withSuggestion } from "./suggestion.ts";

/** Groups in the order in which `mgr --help` lists them; groups of features are between the two lists. */
const FIRST: readonly CommandGroup[] = [
  INSTANCE,
  PROCESSES,
  ...CLI_FEATURES.flatMap(({ processCommands = [] }) => processCommands),
  MESSAGES,
  CONFIGURATION,
];
const LAST: readonly CommandGroup[] = [SETUP];

/**
 * Creates every command with its options and help; parsing runs one, and loads no other. `first`: the first word of a command line; if it
 * is one of the commands that are defined first, the groups of features are left out.
 */
export function createProgram(first: string | null = null): Command {
  setAbsenceSources(CLI_FEATURES.flatMap(({ managerAbsence }) => managerAbsence ?? []));
  setSelectors(CLI_FEATURES.flatMap(({ selector }) => selector ?? []));
  setDataFolders(CLI_FEATURES.flatMap(({ dataFolders }) => dataFolders ?? []));
  const program = new Command("mgr")
    .description("Supervises processes in groups under real terminals, and serves them to a browser, scripts and this command on one port.")
    .version(VERSION)
    .showHelpAfterError("(see mgr --help)")
    .showSuggestionAfterError(false)
    .configureOutput({
      writeErr: (text) => process.stderr.write(visibleLines(text)),
      outputError: (text, write) => write(withSuggestion(program, text)),
    })
    .exitOverride();

  for (const group of FIRST) group.add(program);
  const isKnown = program.commands.some((command) => command.name() === first);
  const rest = [...(isKnown ? [] : CLI_FEATURES.flatMap(({ groups = [] }) => groups)), ...LAST];
  for (const group of rest) group.add(program);
  addManual(
    program,
    [...FIRST, ...rest].flatMap(({ pages }) => Object.entries(pages)),
  );
  return program;
}
