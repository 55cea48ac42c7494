import { constants, homedir } from "node:os";
import { isAbsolute, relative, resolve } from "node:path";
import { durationText, sizeText } from "../../../../config/schema/units.ts";
import { OPEN } from "../text/variables.ts";
import { UnfitValue } from "./failure.ts";
import { asList, asMap, type Tree } from "./tree.ts";

/** Readers of values. Each throws UnfitValue for what it cannot read. */

const kindOf = ({ value }: Tree): string =>
  Array.isArray(value) ? "a list" : value instanceof Map ? "a mapping" : value === null ? "empty" : `'${String(value)}'`;

/** A text as it is written; numbers and booleans count as texts. */
export function text(tree: Tree): string {
  const { value, written } = tree;
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return written ?? String(value);
  throw new UnfitValue(`the value is ${kindOf(tree)}, not a text`);
}

/** A text with the values that its variables have now. */
export function textNow(tree: Tree): string {
  return tree.now ?? text(tree);
}

export function number(tree: Tree): number {
  const written = textNow(tree).trim();
  const value = Number(written);
  if (written === "" || !Number.isFinite(value)) throw new UnfitValue(`the value is ${kindOf(tree)}, not a number`);
  return value;
}

export function integer(tree: Tree): number {
  const value = number(tree);
  if (!Number.isSafeInteger(value)) throw new UnfitValue(`the value ${value} is not a whole number`);
  return value;
}

const FLAGS = new Map([
  ...["true", "yes", "on", "1", "y", "t"].map((word) => [word, true] as const),
  ...["false", "no", "off", "0", "n", "f"].map((word) => [word, false] as const),
]);

export function flag(tree: Tree): boolean {
  const value = FLAGS.get(textNow(tree).trim().toLowerCase());
  if (value === undefined) throw new UnfitValue(`the value is ${kindOf(tree)}, not true or false`);
  return value;
}

export function texts(tree: Tree): string[] {
  return Array.isArray(tree.value) ? asList(tree).map(text) : [text(tree)];
}

/** A duration in seconds. */
export const seconds = (tree: Tree): string => duration(number(tree) * 1_000);
/** A duration in milliseconds. */
export const milliseconds = (tree: Tree): string => duration(number(tree));

export function duration(ms: number): string {
  if (!(ms >= 0)) throw new UnfitValue("the time is negative");
  return durationText(Math.round(ms));
}

/** Units of several peers, milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  us: 0.001,
  µs: 0.001,
  usec: 0.001,
  ns: 0.000_001,
  ms: 1,
  msec: 1,
  s: 1_000,
  sec: 1_000,
  second: 1_000,
  seconds: 1_000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  days: 86_400_000,
  w: 604_800_000,
  week: 604_800_000,
  weeks: 604_800_000,
};

/** A time span such as "1m30s" or "5min 20s", in milliseconds; a number alone is in seconds. */
export function span(tree: Tree): number {
  const written = textNow(tree).trim();
  if (/^\d+(\.\d+)?$/.test(written)) return Number(written) * 1_000;
  const parts = [...written.matchAll(/\s*(\d+(?:\.\d+)?)\s*([a-zµ]+)/gi)];
  const total = parts.reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * (UNITS[unit.toLowerCase()] ?? Number.NaN), 0);
  if (parts.length === 0 || Number.isNaN(total) || parts.map(([part]) => part).join("") !== written)
    throw new UnfitValue(`the value is ${kindOf(tree)}, not a time`);
  return total;
}

export const spanText = (tree: Tree): string => duration(span(tree));

const POWERS = "kmgtp";

/** A size such as 512m, 1GB, 2GiB or a number of bytes; all units are powers of 1,024. */
export function bytes(tree: Tree): number {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)\s*([kmgtp]?)(?:i?b)?$/i.exec(textNow(tree).trim()) ?? [];
  if (amount === undefined) throw new UnfitValue(`the value is ${kindOf(tree)}, not a size`);
  return Math.round(Number(amount) * 1_024 ** (unit === "" ? 0 : POWERS.indexOf(unit.toLowerCase()) + 1));
}

export const size = (tree: Tree): string => sizeText(bytes(tree));

/** A signal such as TERM, SIGTERM or 15. */
export function signal(tree: Tree): string {
  const written = textNow(tree).trim().toUpperCase();
  if (/^\d+$/.test(written)) {
    const name = Object.entries(constants.signals).find(([, value]) => value === Number(written))?.[0];
    if (name === undefined) throw new UnfitValue(`there is no signal ${written}`);
    return name;
  }
  return written.startsWith("SIG") ? written : `SIG${written}`;
}

/** Variables as a mapping or a list of NAME=value; a name without a value is null. */
export function variables(tree: Tree): { name: string; value: string | null; tree: Tree }[] {
  if (Array.isArray(tree.value))
    return asList(tree).map((item) => {
      const written = text(item);
      const cut = written.indexOf("=");
      return cut < 0
        ? { name: written, value: null, tree: item }
        : { name: written.slice(0, cut), value: written.slice(cut + 1), tree: item };
    });
  if (!(tree.value instanceof Map)) throw new UnfitValue(`the value is ${kindOf(tree)}, not a list or a mapping`);
  return [...asMap(tree)].map(([name, item]) => ({ name, value: item.value === null ? null : text(item), tree: item }));
}

/** Paths of an imported file, for a configuration in another folder. */
export class Paths {
  /** Folder to which relative paths of the imported file refer. */
  readonly source: string;
  /** Folder of the new configuration. */
  readonly target: string;

  constructor(source: string, target: string) {
    this.source = source;
    this.target = target;
  }

  /** The path as the new configuration writes it. */
  of(tree: Tree): string {
    return this.moved(text(tree), textNow(tree));
  }

  /** The path of `written`, whose variables have the values of `now`. */
  moved(written: string, now = written): string {
    if (/^~(?=\/|$)/.test(written)) return written.replace("~", homedir());
    // A text that begins with a variable is taken for a whole path.
    if (isAbsolute(now) || now.startsWith(OPEN)) return written;
    return relative(this.target, resolve(this.source, written)) || ".";
  }

  /** The folder of the imported file; null if it is that of the new configuration. */
  get folder(): string | null {
    return relative(this.target, this.source) || null;
  }
}
