export interface ProcfileEntry {
  readonly name: string;
  readonly command: string;
  /** Line number, from 1. */
  readonly line: number;
}

export interface ProcfileProblem {
  readonly line: number;
  readonly message: string;
}

/** Parses a Procfile: `name: command`, one a line; empty lines and those beginning with `#` are ignored. */
export function parseProcfile(text: string): { entries: ProcfileEntry[]; problems: ProcfileProblem[] } {
  const entries: ProcfileEntry[] = [];
  const problems: ProcfileProblem[] = [];
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    const line = index + 1;
    if (/^\s*(#|$)/.test(content)) continue;
    const [, name, command] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(content) ?? [];
    if (!name || !command) problems.push({ line, message: "is not 'name: command'" });
    else if (entries.some((entry) => entry.name === name)) problems.push({ line, message: `repeats the name '${name}'` });
    else entries.push({ name, command, line });
  }
  return { entries, problems };
}
