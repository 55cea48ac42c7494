import type { PartFinding, RawPart } from "./load/names.ts";
import type { KeyPath } from "./schema/problems.ts";

/** Number of processes of each entry of 'processes' whose number is not that of the file, by name. */
export type Counts = ReadonlyMap<string, number>;

/** An entry of 'processes' that stands for several processes. They are the members of the group of its name. */
export interface MultipliedEntry {
  /** The number in the file. */
  readonly configured: number;
  /** Names of its processes, in their order. */
  readonly names: readonly string[];
}

/** The files of a configuration after a feature has put several processes in the place of single entries, before anything else is checked. */
export interface Multiplication {
  /** The values of each file, in the order of the files. */
  readonly values: readonly unknown[];
  readonly entries: ReadonlyMap<string, MultipliedEntry>;
  readonly findings: readonly PartFinding[];
  /** The path in the file of a value that is at `path` in `values[part]`. */
  origin(part: number, path: KeyPath): KeyPath;
}

export type Multiply = (parts: readonly RawPart[], counts: Counts) => Multiplication;
