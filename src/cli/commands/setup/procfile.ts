import { nameProblem } from "../../../base/names.ts";

export interface ProcfileEntry {
  readonly name: string;
  /** As a configuration has it: a dollar that would be expanded there is doubled. */
  readonly command: string;
  /** What foreman and its kin would give it as PORT. */
  readonly port: string;
}

export interface ProcfileProblem {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

const FIRST_PORT = 5_000;
const PORT_STEP = 100;

/** The processes of a Procfile: `name: command`, one a line; empty lines and those beginning with `#` are left out. */
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

/** `${` and `$$` mean something in a configuration; any other dollar is the shell's. */
function escapeDollars(command: string): string {
  return command.replace(/\$(?=[${])/g, "$$$$");
}
