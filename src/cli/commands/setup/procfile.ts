import { nameProblem } from "../../../base/names.ts";

export interface ProcfileEntry {
  readonly name: string;
  /** Command as in a configuration: a dollar that would be expanded there is doubled. */
  readonly command: string;
  /** PORT as foreman and similar tools set it. */
  readonly port: string;
}

export interface ProcfileProblem {
  /** Line number, from 1. */
  readonly line: number;
  readonly message: string;
}

const FIRST_PORT = 5_000;
const PORT_STEP = 100;

/** Parses a Procfile: `name: command`, one a line; empty lines and those beginning with `#` are ignored. */
export function parseProcfile(text: string): { entries: ProcfileEntry[]; problems: ProcfileProblem[] } {
  const entries: ProcfileEntry[] = [];
  const problems: ProcfileProblem[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const problem = (message: string) => problems.push({ line: index + 1, message });
    const [, name, command] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (!name || !command) problem(`expected 'name: command', found '${line.trim()}'`);
    else if (nameProblem(name) !== null) problem(`the name '${name}' ${nameProblem(name)}`);
    else if (entries.some((entry) => entry.name === name)) problem(`duplicate name '${name}'`);
    else entries.push({ name, command: escapeDollars(command), port: String(FIRST_PORT + PORT_STEP * entries.length) });
  }
  if (entries.length === 0 && problems.length === 0) problems.push({ line: 1, message: "the Procfile has no processes" });
  return { entries, problems };
}

/** Escapes `${` and `$$`, which have a meaning in a configuration; any other dollar is the shell's. */
function escapeDollars(command: string): string {
  return command.replace(/\$(?=[${])/g, "$$$$");
}
