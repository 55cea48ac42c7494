import { MgrError } from "../../base/errors.ts";
import { policyNumber } from "../../base/scheduling-policies.ts";
import { shortened } from "../../base/text/text-length.ts";
import type { TaskCell } from "./contract.ts";
import { TASK_COLUMNS, type TaskColumnName } from "./task-columns.ts";

/** Columns of text, compared by code units; `process` is null for a task of no managed process, `env` where it may not be read. */
const TEXT_COLUMNS = new Set<TaskColumnName>(["user", "process", "name", "state", "affinity", "start_time", "command", "env"]);
export const isTextColumn = (name: TaskColumnName): boolean => TEXT_COLUMNS.has(name);

/** Maximum number of characters of an item in an error message. */
const MAX_SHOWN = 80;

export const FILTER_OPERATORS = ["==", "!=", "<=", ">=", "!~", "<", ">", "~"] as const;
type Operator = (typeof FILTER_OPERATORS)[number];

interface FilterItem {
  readonly key: TaskColumnName;
  readonly operator: Operator;
  readonly value: string;
  /** The value as a number, for columns of numbers; NaN for `~`, which matches the digits as text. */
  readonly number: number;
}

/** The filter of a list of tasks (docs/design/wire-rules.md, "Process list"). */
export class TaskFilter {
  readonly #items: readonly FilterItem[];

  /** Items `key:op:value` joined by NUL. Throws `bad_field`. */
  constructor(text: string) {
    this.#items = text.split("\0").flatMap((item) => (item === "" ? [] : parseItem(item)));
  }

  /** Whether the task matches all items; `cell` returns its value of a column. */
  accepts(cell: (key: TaskColumnName) => TaskCell): boolean {
    return this.#items.every((item) => holds(item, cell(item.key)));
  }

  has(key: TaskColumnName): boolean {
    return this.#items.some((item) => item.key === key);
  }

  /** The only number that the filter accepts for `key`, or null: the caller can then skip all other tasks. */
  only(key: TaskColumnName): number | null {
    return this.#items.find((item) => item.key === key && item.operator === "==")?.number ?? null;
  }
}

function parseItem(text: string): FilterItem {
  const colon = text.indexOf(":");
  const key = text.slice(0, Math.max(0, colon));
  const rest = text.slice(colon + 1);
  const operator = FILTER_OPERATORS.find((each) => rest.startsWith(`${each}:`));
  if (!isColumn(key)) throw refused(text, `there is no column '${shortened(key, MAX_SHOWN)}'; there are ${TASK_COLUMNS.join(", ")}`);
  if (operator === undefined) throw refused(text, `its operator is none of ${FILTER_OPERATORS.join(" ")}; an item is key:op:value`);
  const value = rest.slice(operator.length + 1);
  return { key, operator, value, number: numberOf(text, key, operator, value) };
}

function numberOf(text: string, key: TaskColumnName, operator: Operator, value: string): number {
  if (isTextColumn(key) || operator === "~" || operator === "!~") return Number.NaN;
  const policy = key === "policy" ? policyNumber(value) : undefined;
  const number = Number(policy ?? value);
  if (value.trim() === "" || !Number.isFinite(number))
    throw refused(text, `the column '${key}' holds numbers, and '${shortened(value, MAX_SHOWN)}' is none`);
  return number;
}

function holds({ key, operator, value, number }: FilterItem, cell: TaskCell): boolean {
  if (operator === "~") return contains(cell, value);
  if (operator === "!~") return !contains(cell, value);
  return isTextColumn(key) ? compare(operator, String(cell ?? ""), value) : compare(operator, Number(cell ?? Number.NaN), number);
}

function contains(cell: TaskCell, value: string): boolean {
  return String(cell ?? "")
    .toLowerCase()
    .includes(value.toLowerCase());
}

function compare<T extends string | number>(operator: Exclude<Operator, "~" | "!~">, left: T, right: T): boolean {
  switch (operator) {
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
  }
}

function isColumn(key: string): key is TaskColumnName {
  return (TASK_COLUMNS as readonly string[]).includes(key);
}

function refused(item: string, why: string): MgrError {
  return new MgrError("bad_field", `the item '${shortened(item, MAX_SHOWN)}' of 'filter' cannot be used: ${why}`);
}
