import { join } from "node:path";
import type { Clock } from "../../../base/timing/clock.ts";
import { PROCESS_SERIES } from "../series.ts";
import { HistoryFiles, type HistoryFilesOptions } from "./rings/history-files.ts";
import { LONG, PERIODS_MS } from "./rings/layout.ts";
import { SeriesHistory } from "./rings/series-history.ts";
import { SlotStore } from "./rings/slot-store.ts";

/** The name under which the machine's own history is kept: no process has it. */
export const MACHINE = "";
/** Without a state folder: processes that have ended whose history stays in memory, at most, and how long, milliseconds. */
const MAX_ENDED = 256;
const ENDED_KEPT_MS = 30 * PERIODS_MS[LONG];

export interface HistoriesOptions {
  readonly clock: Clock;
  readonly log: HistoryFilesOptions["log"];
  /** Null: history stays in memory. */
  readonly stateFolder: string | null;
  readonly machineSeries: number;
  readonly maxBytes?: number;
}

/** The histories of all processes of a host, and of the machine. */
export class Histories {
  readonly files: HistoryFiles | null;
  readonly machineSeries: number;
  /** Resolves when the files of earlier daemons are known. */
  readonly begun: Promise<void>;
  readonly #clock: Clock;
  readonly #histories = new Map<string, SeriesHistory>();
  /** Processes that do not run, whose history is still to be written or stays in memory. */
  readonly #ended = new Set<string>();

  constructor({ clock, log, stateFolder, machineSeries, maxBytes }: HistoriesOptions) {
    this.#clock = clock;
    this.machineSeries = machineSeries;
    const folder = stateFolder === null ? null : join(stateFolder, "load-history");
    this.files = folder === null ? null : new HistoryFiles({ folder, clock, log, ...(maxBytes === undefined ? {} : { maxBytes }) });
    this.begun = this.files?.begin() ?? Promise.resolve();
  }

  /** All names with a history in memory or on the disk, without the machine's. */
  get names(): string[] {
    return [...new Set([...(this.files?.names ?? []), ...this.#histories.keys()])].filter((name) => name !== MACHINE);
  }

  find(name: string): SeriesHistory | undefined {
    return this.#histories.get(name);
  }

  /** The history of a process that runs. */
  open(name: string): SeriesHistory {
    this.#ended.delete(name);
    const known = this.#histories.get(name);
    if (known !== undefined) return known;
    const { files } = this;
    const series = this.seriesOf(name);
    const history = new SeriesHistory(new SlotStore({ name, series, changed: files && ((store) => files.changed(store)) }), files === null);
    this.#histories.set(name, history);
    return history;
  }

  seriesOf(name: string): number {
    return name === MACHINE ? this.machineSeries : PROCESS_SERIES.length;
  }

  /** Processes that run, with the history of each. */
  *running(): Generator<[string, SeriesHistory]> {
    for (const entry of this.#histories) if (entry[0] !== MACHINE && !this.#ended.has(entry[0])) yield entry;
  }

  /** The process does not run any more. */
  end(name: string): void {
    this.#histories.get(name)?.finish();
    this.#histories.get(name)?.watch(false);
    this.#ended.add(name);
  }

  /** Drops from memory what has ended: what is written, or without a state folder what is old or too much. */
  tidy(): void {
    for (const name of this.#ended) {
      if (!this.#isOver(name)) continue;
      this.#ended.delete(name);
      this.#histories.delete(name);
      void this.files?.release(name);
    }
  }

  #isOver(name: string): boolean {
    const store = this.#histories.get(name)?.store;
    // Until it is written, it is nowhere else.
    if (store === undefined || this.files !== null) return store?.isSaved ?? true;
    return this.#ended.size > MAX_ENDED || store.newest(LONG) < (this.#clock.now() - ENDED_KEPT_MS) / PERIODS_MS[LONG];
  }

  async close(): Promise<void> {
    await this.begun;
    for (const history of this.#histories.values()) history.finish();
    await this.files?.close();
  }
}
