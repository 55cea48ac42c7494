import type { Variables } from "./variables.ts";

/** What is known about variables at the time of the import. */
export interface Scope {
  /** The environment, which wins. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The variables of `.env`. */
  readonly file: Readonly<Record<string, string>>;
}

export interface Interpolated {
  /** The text with a mark for each variable. */
  readonly value: string;
  /** The text with the values that they have now. */
  readonly now: string;
  /** What is not the same as in the imported file. */
  readonly guesses: readonly VariableGuess[];
}

export interface VariableGuess {
  readonly name: string;
  readonly why: string;
}

const MAX_NESTING = 20;

/**
 * Reads variables as Docker Compose writes them: `$X`, `${X}`, `${X:-y}`, `${X-y}`, `${X:?y}`, `${X?y}`, `${X:+y}`, `${X+y}`, and `$$` for a
 * dollar. Other dollars stay. Of what mgr does not have, the present value is used.
 */
export function interpolate(text: string, scope: Scope, variables: Variables): Interpolated {
  const guesses: VariableGuess[] = [];
  const reader = { text, at: 0 };
  const { value, now } = untilEnd(reader, { scope, variables, guesses }, 0);
  return { value, now, guesses };
}

interface Context {
  readonly scope: Scope;
  readonly variables: Variables;
  readonly guesses: VariableGuess[];
}

interface Reader {
  readonly text: string;
  at: number;
}

interface Pair {
  value: string;
  now: string;
}

/** Reads up to the end, or within braces (depth above 0) up to the brace that closes them. */
function untilEnd(reader: Reader, context: Context, depth: number): Pair {
  const pair = { value: "", now: "" };
  const add = ({ value, now }: Pair) => {
    pair.value += value;
    pair.now += now;
  };
  const { text } = reader;
  while (reader.at < text.length) {
    const rest = text.slice(reader.at, reader.at + 256);
    const [plain] = (depth === 0 ? /^[^$]+/ : /^[^$}]+/).exec(rest) ?? [];
    const [, name] = /^\$([A-Za-z_][A-Za-z0-9_]*)/.exec(rest) ?? [];
    if (plain !== undefined) {
      add({ value: plain, now: plain });
      reader.at += plain.length;
    } else if (rest.startsWith("}")) return pair;
    else if (rest.startsWith("$$")) {
      add({ value: "$", now: "$" });
      reader.at += 2;
    } else if (name !== undefined) {
      add(variable(name, { value: "", now: "" }, context));
      reader.at += name.length + 1;
    } else add((depth < MAX_NESTING ? braces(reader, context, depth) : null) ?? dollar(reader));
  }
  return pair;
}

function dollar(reader: Reader): Pair {
  reader.at++;
  return { value: "$", now: "$" };
}

/** An expression in braces; null, and nothing is read, if it is none. */
function braces(reader: Reader, context: Context, depth: number): Pair | null {
  const start = reader.at;
  const [all = "", name = "", operator = ""] =
    /^\$\{([A-Za-z_][A-Za-z0-9_]*)(:?[-?+]|(?=\}))/.exec(reader.text.slice(start, start + 256)) ?? [];
  if (all === "") return null;
  reader.at += all.length;
  const guesses = [...context.guesses];
  const argument = untilEnd(reader, context, depth + 1);
  if (reader.text[reader.at] !== "}") {
    // It has no end: its dollar is a plain one.
    reader.at = start;
    context.guesses.splice(0, context.guesses.length, ...guesses);
    return null;
  }
  reader.at++;
  return expression(name, operator, argument, context);
}

function expression(name: string, operator: string, argument: Pair, context: Context): Pair {
  const present = currentValue(name, context.scope);
  const guess = (why: string) => context.guesses.push({ name, why });
  if (operator.endsWith("+")) {
    const isUsed = operator === "+" ? present !== undefined : present !== undefined && present !== "";
    guess(`\${${name}${operator}…} has no counterpart; the text is what it means at the time of the import`);
    return isUsed ? argument : { value: "", now: "" };
  }
  if (operator.endsWith("?")) {
    if (present === undefined || (operator === ":?" && present === ""))
      guess(`it is required${argument.now === "" ? "" : ` (${argument.now})`}, and empty here if it is not set`);
    return variable(name, { value: "", now: "" }, context);
  }
  if (operator === "-") guess(`\${${name}-…} keeps an empty value there; here the default also stands in for an empty one`);
  return variable(name, argument, context);
}

/** A variable. Where the environment lacks it, the value of `.env` counts, then the default. */
function variable(name: string, fallback: Pair, { scope, variables }: Context): Pair {
  const file = Object.hasOwn(scope.file, name) ? scope.file[name] : undefined;
  const value = variables.mark(name, file || fallback.value);
  return { value, now: currentValue(name, scope) || fallback.now };
}

function currentValue(name: string, { environment, file }: Scope): string | undefined {
  return environment[name] ?? (Object.hasOwn(file, name) ? file[name] : undefined);
}
