import { LOG_LEVELS, type LogEntry, type LogLevel } from "../../../src/protocol/resources/resources.ts";
import { escaped, linesOf, RowPlaces } from "./log-lines.ts";

export interface LogFilter {
  level: LogLevel;
  /** "" for all. */
  source: string;
  /** Looked for in source and message, upper and lower case alike; "" for all. */
  search: string;
}

/** What a log line reads after its time and level. */
export const textOf = ({ source, msg }: LogEntry): string => (source === "manager" ? msg : `${source}: ${msg}`);

/** A row of the log: an entry, or several that say the same. */
export interface LogRow {
  /** The first one: it names the row. */
  entry: LogEntry;
  /** The newest one. */
  last: LogEntry;
  count: number;
  /** Of entries that say the same, each has a row: the first one of them. */
  isUnfolded: boolean;
}

interface Layout {
  /** Of text, that a line has. */
  columns: number;
  /** That each entry takes besides its text. */
  extraLines: number;
  /** First entries of the repeats that the user has unfolded. */
  unfolded: ReadonlySet<number>;
}

/**
 * The entries that fit a filter, and where they lie. Entries in a row that say the same are folded into one row. What only grew at its end is
 * looked at once, however long it is.
 */
export class LogSelection {
  readonly #fits: (entry: LogEntry) => boolean;
  readonly #layout: Layout;
  readonly #epoch: number;
  readonly rows: LogRow[] = [];
  readonly places = new RowPlaces();
  readonly key: string;
  #seen = 0;
  /** The row of the repeats that the newest row belongs to. */
  #head: LogRow | null = null;

  constructor(filter: LogFilter, layout: Layout, epoch: number) {
    this.#fits = fitting(filter);
    this.#layout = layout;
    this.#epoch = epoch;
    this.key = keyOf(filter, layout, epoch);
  }

  /** `before` if it can be added to, else a new one; either way with all of `all` looked at. */
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
  const wanted = search.trim();
  // Faster than making a lower-case copy of every message.
  const pattern = wanted === "" ? null : new RegExp(escaped(wanted), "i");
  return (entry) =>
    levels.has(entry.level) &&
    (source === "" || entry.source === source) &&
    (pattern === null || pattern.test(entry.msg) || pattern.test(entry.source));
}
