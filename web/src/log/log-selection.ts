import { LOG_LEVELS, type LogEntry, type LogLevel } from "../../../src/protocol/resources/resources.ts";
import { linesOf, RowPlaces } from "./log-lines.ts";

export interface LogFilter {
  level: LogLevel;
  /** "" for all. */
  source: string;
  /** Looked for in source and message, upper and lower case alike; "" for all. */
  search: string;
}

/** What a log line reads after its time and level. */
export const textOf = ({ source, msg }: LogEntry): string => (source === "manager" ? msg : `${source}: ${msg}`);

/** The entries that fit a filter, and where they lie. What only grew at its end is looked at once, however long it is. */
export class LogSelection {
  readonly #fits: (entry: LogEntry) => boolean;
  readonly #columns: number;
  readonly #extraLines: number;
  readonly #epoch: number;
  readonly entries: LogEntry[] = [];
  readonly places = new RowPlaces();
  readonly key: string;
  #seen = 0;

  /** `columns` of text a line has; `extraLines` that each entry takes besides its text. */
  constructor(filter: LogFilter, columns: number, extraLines: number, epoch: number) {
    this.#fits = fitting(filter);
    this.#columns = columns;
    this.#extraLines = extraLines;
    this.#epoch = epoch;
    this.key = keyOf(filter, columns, extraLines, epoch);
  }

  /** `before` if it can be added to, else a new one; either way with all of `all` looked at. */
  static of(
    before: LogSelection | null,
    all: { entries: readonly LogEntry[]; epoch: number },
    filter: LogFilter,
    columns: number,
    extraLines: number,
  ): LogSelection {
    const isSame = before !== null && before.#epoch === all.epoch && before.key === keyOf(filter, columns, extraLines, all.epoch);
    const selection = isSame ? before : new LogSelection(filter, columns, extraLines, all.epoch);
    selection.#add(all.entries);
    return selection;
  }

  #add(all: readonly LogEntry[]): void {
    for (; this.#seen < all.length; this.#seen++) {
      const entry = all[this.#seen];
      if (!entry || !this.#fits(entry)) continue;
      this.entries.push(entry);
      this.places.push(this.#extraLines + linesOf(textOf(entry), this.#columns));
    }
  }
}

const keyOf = (filter: LogFilter, columns: number, extraLines: number, epoch: number) =>
  JSON.stringify([filter.level, filter.source, filter.search, columns, extraLines, epoch]);

function fitting({ level, source, search }: LogFilter): (entry: LogEntry) => boolean {
  const levels = new Set(LOG_LEVELS.slice(LOG_LEVELS.indexOf(level)));
  const wanted = search.trim();
  // Faster than making a lower-case copy of every message.
  const pattern = wanted === "" ? null : new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
  return (entry) =>
    levels.has(entry.level) &&
    (source === "" || entry.source === source) &&
    (pattern === null || pattern.test(entry.msg) || pattern.test(entry.source));
}
