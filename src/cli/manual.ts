import type { Command } from "commander";
import type { Page, Pages } from "./command/feature.ts";

/** Exit codes of every command. */
export const EXIT_CODES = "0 done, 1 failed, 2 usage or bad configuration, 3 not found, 4 time-out";
/** The way in which a command finds its manager. */
export const CONNECTION = `Without --url and --user, it connects to the manager of the configuration over a unix socket of this machine, without user and
password. With --url or --user, the password comes from the auth file (MGR_WEBUI_AUTH_FILE, or the configured one), by default from its
first entry. With an access token (--token-file, MGR_TOKEN_FILE or MGR_TOKEN) it connects to the port without user and password. With
--password-file, an access token, or if MGR_WEBUI_AUTH_FILE is set, --url needs no configuration. If the manager has a self-signed
certificate, give its PEM file with --ca-file.`;

const pageOfCommand = new WeakMap<Command, Page>();

/** The page of a command of a program with a manual. */
export function pageOf(command: Command): Page | undefined {
  return pageOfCommand.get(command);
}

/** Adds the manual pages to the help of the program and of each command. */
export function addManual(program: Command, entries: readonly (readonly [path: string, page: Page])[]): void {
  const pages = joined(entries);
  program.addHelpText(
    "after",
    `\n${EXAMPLES_OF_ALL}\n\nExit codes: ${EXIT_CODES}.\nSet NO_COLOR to disable colours. See 'mgr help COMMAND' for details.`,
  );
  for (const command of program.commands) addPages(command, command.name(), pages);
}

/** Pages by their commands. A group whose commands come from several features has the text and the examples of each. */
function joined(entries: readonly (readonly [path: string, page: Page])[]): Pages {
  const pages: Record<string, Page> = {};
  for (const [path, page] of entries) {
    const other = pages[path];
    pages[path] =
      other === undefined
        ? page
        : { ...other, ...page, about: `${other.about}\n${page.about}`, examples: [...other.examples, ...page.examples] };
  }
  return pages;
}

function addPages(command: Command, path: string, pages: Pages): void {
  // The commands of a group are listed in its help.
  for (const each of command.commands) addPages(each, `${path} ${each.name()}`, pages);
  const page = pages[path];
  if (!page) throw new Error(`the command '${path}' has no page in the manual`);
  pageOfCommand.set(command, page);
  command.showHelpAfterError(`(see mgr ${path} --help)`);
  command.addHelpText("after", () => pageText(page, isConnecting(command)));
}

const EXAMPLES_OF_ALL = `Examples:
  mgr init && mgr up        create a configuration and run it
  mgr ps --watch            show processes and their states, live
  mgr attach NAME           connect this terminal to a process`;

function pageText({ about, json, examples, exitCodes }: Page, connects: boolean): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, purpose]) => `  ${line.padEnd(width)}  # ${purpose}`);
  const codes = exitCodes === undefined ? EXIT_CODES : `${EXIT_CODES}; ${exitCodes}`;
  return [
    "",
    about,
    ...(json === undefined ? [] : ["", `--json: ${json}.`]),
    ...(connects ? ["", CONNECTION] : []),
    "",
    "Examples:",
    ...lines,
    "",
    `Exit codes: ${codes}.`,
  ].join("\n");
}

function isConnecting(command: Command): boolean {
  return command.options.some(({ long }) => long === "--url");
}
