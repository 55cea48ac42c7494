import { LOG_LEVELS, type LogEntry, type LogLevel } from "../../../src/protocol/resources/resources.ts";
import { escaped, linesOf, RowPlaces } from "./log-lines.ts";

export interface LogFilter {
  level: LogLevel;
  /** "" for all. */
  source: string;
  /** Text to search for in source and message, ignoring case; "" for all. */
  search: string;
}

/** The text of a log line after its time and level. */
export const textOf = ({ source, msg }: LogEntry): string => (source === "manager" ? msg : `${source}: ${msg}`);

/** A row of the log: an entry, or several equal ones. */
export interface LogRow {
  /** The first entry, which identifies the row. */
  entry: LogEntry;
  /** The newest entry. */
  last: LogEntry;
  count: number;
  /** Whether this is the first row of unfolded repeats, whose entries have a row each. */
  isUnfolded: boolean;
}

interface Layout {
  /** Columns of text in a line. */
  columns: number;
  /** Lines of an entry besides its text. */
  extraLines: number;
  /** First entries of the repeats that the user has unfolded. */
  unfolded: ReadonlySet<number>;
}

/**
 * The entries that match a filter, and their positions. Consecutive equal entries are folded into one row. While the log only grows at its
 * end, each entry is checked once.
 */
export class LogSelection {
  readonly #fits: (entry: LogEntry) => boolean;
  readonly #layout: Layout;
  readonly #epoch: number;
  readonly rows: LogRow[] = [];
  readonly places = new RowPlaces();
  readonly key: string;
  #seen = 0;
  /** The first row of the repeats that the newest row belongs to. */
  #head: LogRow | null = null;

  constructor(filter: LogFilter, layout: Layout, epoch: number) {
    this.#fits = fitting(filter);
    this.#layout = layout;
    this.#epoch = epoch;
    this.key = keyOf(filter, layout, epoch);
  }

  /** Returns `before` if it can be extended, else a new selection; in both cases it covers all entries. */
  static of(
    before: LogSelection | null,
    all: { entries: readonly LogEntry[]; epoch: number },
    filter: LogFilter,
    layout: Layout,
  ): LogSelection {
    const isSame = before !== null && before.#epoch === all.epoch && before.key === keyOf(filter, layout, all.epoch);
    const selection = isSame ? before : new LogSelection(filter, layout, all.epoch);
    selection.#addAll(all.entries);
    return selection;
  }

  #addAll(all: readonly LogEntry[]): void {
    for (; this.#seen < all.length; this.#seen++) {
      const entry = all[this.#seen];
      if (entry && this.#fits(entry)) this.#add(entry);
    }
  }

  #add(entry: LogEntry): void {
    const head = this.#head;
    const isRepeat = head !== null && isSame(head.entry, entry);
    if (isRepeat) {
      head.last = entry;
      head.count++;
      if (!head.isUnfolded) return;
    }
    const row = { entry, last: entry, count: 1, isUnfolded: !isRepeat && this.#layout.unfolded.has(entry.id) };
    if (!isRepeat) this.#head = row;
    this.rows.push(row);
    this.places.push(this.#layout.extraLines + linesOf(textOf(entry), this.#layout.columns));
  }
}

const isSame = (one: LogEntry, other: LogEntry) => one.msg === other.msg && one.level === other.level && one.source === other.source;

const keyOf = (filter: LogFilter, { columns, extraLines, unfolded }: Layout, epoch: number) =>
  JSON.stringify([filter.level, filter.source, filter.search, columns, extraLines, [...unfolded], epoch]);

function fitting({ level, source, search }: LogFilter): (entry: LogEntry) => boolean {
  const levels = new Set(LOG_LEVELS.slice(LOG_LEVELS.indexOf(level)));
  const query = search.trim();
  // Faster than making a lower-case copy of every message.
  const pattern = query === "" ? null : new RegExp(escaped(query), "i");
  return (entry) =>
    levels.has(entry.level) &&
    (source === "" || entry.source === source) &&
    (pattern === null || pattern.test(entry.msg) || pattern.test(entry.source));
}
