import type { NetworkRow, NetworkRowOf } from "../contract.ts";
import { increase, kernelIncrease } from "../increase.ts";

type CountedRow = Exclude<NetworkRow, { kind: "forwarding" }>;
type Kind = CountedRow["kind"];
/** Kinds of rows that the kernel counts. */
const OF_KERNEL: ReadonlySet<Kind> = new Set(["interface", "udp", "link_socket"]);
/** Kinds of rows that a broker counts. */
const OF_BROKER: ReadonlySet<NetworkRow["kind"]> = new Set(["published", "arrived", "crossing", "answered", "answers"]);

/** Counters of one end at one moment. */
export class Counted {
  /** Time of a monotonic clock of that end, milliseconds. */
  readonly at: number;
  readonly #rows = new Map<string, NetworkRow>();

  constructor(at: number, rows: Iterable<NetworkRow>) {
    this.at = at;
    for (const row of rows) this.#rows.set(keyOf(row), row);
  }

  find<K extends NetworkRow["kind"]>(kind: K, name: string): NetworkRowOf<K> | undefined {
    return this.#rows.get(`${kind} ${name}`) as NetworkRowOf<K> | undefined;
  }

  /** Whether the end's broker has counted anything. */
  get hasMessages(): boolean {
    for (const { kind } of this.#rows.values()) if (OF_BROKER.has(kind)) return true;
    return false;
  }

  *all<K extends NetworkRow["kind"]>(kind: K): Generator<NetworkRowOf<K>> {
    for (const row of this.#rows.values()) if (row.kind === kind) yield row as NetworkRowOf<K>;
  }
}

function keyOf(row: NetworkRow): string {
  return `${row.kind} ${nameOf(row)}`;
}

function nameOf(row: NetworkRow): string {
  switch (row.kind) {
    case "interface":
      return row.name;
    case "udp":
    case "broker":
    case "forwarding":
      return "";
    case "link_socket":
      return `${row.local} ${row.peer}`;
    case "forward":
      return row.target;
    case "link":
      return row.name;
    default:
      return row.subject;
  }
}

/**
 * Counters of one end, read twice: all ends once, then all ends again. Sent messages are measured from the second reading of a sample to the first
 * one of the next, arrived messages from the first to the second. So the receivers' interval contains the senders', and a difference is a loss, not
 * traffic under way. An end without messages is read once, and both readings are the same.
 */
export interface Reading {
  /** Identifies the owner of the counters: a new owner counts from 0. */
  readonly life: string;
  readonly first: Counted;
  readonly second: Counted;
}

/** Two readings of one end. */
export class Span {
  readonly #before: Reading;
  readonly #after: Reading;

  constructor(before: Reading, after: Reading) {
    this.#before = before;
    this.#after = after;
  }

  /** Counters that are read once in a sample, such as those of interfaces: from its first reading. */
  get measured(): { before: Counted; after: Counted; milliseconds: number } {
    return between(this.#before.first, this.#after.first);
  }

  get sent(): { before: Counted; after: Counted; milliseconds: number } {
    return between(this.#before.second, this.#after.first);
  }

  get arrived(): { before: Counted; after: Counted; milliseconds: number } {
    return between(this.#before.first, this.#after.second);
  }
}

function between(before: Counted, after: Counted) {
  return { before, after, milliseconds: after.at - before.at };
}

/** Increase of a field of a row; a new row began at 0. */
export function grown<K extends Kind>(
  span: { before: Counted; after: Counted },
  kind: K,
  name: string,
  field: keyof NetworkRowOf<K>,
): number {
  const after = span.after.find(kind, name)?.[field];
  const before = span.before.find(kind, name)?.[field];
  if (typeof after !== "number") return 0;
  return (OF_KERNEL.has(kind) ? kernelIncrease : increase)(typeof before === "number" ? before : 0, after);
}
