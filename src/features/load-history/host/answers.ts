import { compileFnmatch } from "../../../base/patterns/fnmatch.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { SerialQueue } from "../../../base/timing/serial-queue.ts";
import { SlicedWork, type Steps } from "../../../base/timing/turns.ts";
import type { RequestOf, ResponseOf } from "../../../contract/messages.ts";
import type { ListPage } from "../../../contract/pages.ts";
import type { ListPages } from "../../../daemon/lists/list-pages.ts";
import type { HistoryRow } from "../contract.ts";
import { HOST_SERIES, MAX_NAMES, PROCESS_SERIES, STATISTICS, type Statistic, WATCHED_SAMPLE_MS } from "../series.ts";
import { type Histories, MACHINE } from "./histories.ts";
import type { HistoryFile } from "./rings/history-file.ts";
import { LONG, PERIODS_MS, type RingNumber, SHORT } from "./rings/layout.ts";
import { type PointRange, Points, rounded } from "./rings/points.ts";
import type { SeriesHistory } from "./rings/series-history.ts";
import { SlotStore } from "./rings/slot-store.ts";

/** Maximum time of one turn of the event loop, milliseconds. */
const SLICE_MS = 2;
/** Waiting requests, at most: one is answered at a time. */
const MAX_WAITING = 16;
/** Points of all series in one answer, at most: some 10 MiB. */
const MAX_CELLS = 300_000;
/** Slots that are read in one step. */
const SLOTS_PER_STEP = 256;

interface AnswersOptions {
  readonly clock: Clock;
  readonly histories: Histories;
  readonly pages: ListPages;
  /** CPUs of the machine. */
  readonly cpus: number;
}

interface RowOrder {
  readonly name: string;
  readonly range: PointRange;
  /** Names of the series, in the order in which they are kept; which of them are requested. */
  readonly names: readonly string[];
  readonly wanted: ReadonlySet<string>;
  readonly statistics: readonly Statistic[];
}

/** Answers what managers ask about the past. */
export class Answers {
  readonly #options: AnswersOptions;
  readonly #queue = new SerialQueue({ max: MAX_WAITING, busy: "this host is asked for too much load history at once; try again" });
  readonly #work = new SlicedWork({ ms: SLICE_MS });

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** Rejects with `busy` and `too_large`, and with `bad_field` for a pattern that is too long. */
  processes(request: RequestOf<"load_history">): Promise<ResponseOf<"load_history">> {
    const { names, pattern, series } = request;
    const statistics = request.statistics.length === 0 ? STATISTICS : request.statistics;
    const matches = pattern === null ? () => false : compileFnmatch(pattern);
    const requested = new Set(names);
    return this.#list(request, async (range, add) => {
      const found = this.#options.histories.names.filter((name) => requested.has(name) || matches(name)).slice(0, MAX_NAMES);
      const wanted = new Set<string>(series.length === 0 ? PROCESS_SERIES : series);
      const points = Math.min(range.points, Math.max(1, Math.floor(MAX_CELLS / Math.max(1, found.length * wanted.size))));
      for (const name of found) add(await this.#row({ name, range: { ...range, points }, names: PROCESS_SERIES, wanted, statistics }));
    });
  }

  /** All series of one process. Rejects with `busy`. */
  process(name: string, range: PointRange): Promise<HistoryRow> {
    return this.#queue.run(async () => {
      await this.#options.histories.begun;
      return this.#row({ name, range, names: PROCESS_SERIES, wanted: new Set(PROCESS_SERIES), statistics: STATISTICS });
    });
  }

  machine(request: RequestOf<"host_load_history">): Promise<ResponseOf<"host_load_history">> {
    const names = [...HOST_SERIES, ...Array.from({ length: this.#options.cpus }, (_, cpu) => `cpu_${cpu}`)];
    return this.#list(request, async (range, add) => {
      add(await this.#row({ name: MACHINE, range, names, wanted: new Set(names), statistics: STATISTICS }));
    });
  }

  newest(): ResponseOf<"newest_loads"> {
    const { clock, histories, pages } = this.#options;
    const rows = pages.open();
    for (const [name, { latest }] of histories.running())
      if (latest !== null) rows.add([name, PROCESS_SERIES.map((_, at) => rounded(latest.figures[at])), latest.time]);
    return { ...rows.end(), time: clock.now() };
  }

  close(): void {
    this.#work.close();
  }

  #list(
    range: PointRange,
    build: (range: PointRange, add: (row: HistoryRow) => void) => Promise<void>,
  ): Promise<ListPage & { time: number }> {
    const { clock, histories, pages } = this.#options;
    return this.#queue.run(async () => {
      await histories.begun;
      const time = clock.now();
      const rows = pages.open();
      // Time that has not passed yet is not a gap.
      await build({ ...range, until: Math.min(range.until, time) }, (row) => rows.add(row));
      return { ...rows.end(), time };
    });
  }

  #row(order: RowOrder): Promise<HistoryRow> {
    const { histories } = this.#options;
    const { name } = order;
    const history = histories.find(name);
    const build = (file: HistoryFile | null) => this.#rowFrom(order, history, file);
    return histories.files === null ? build(null) : histories.files.read(name, histories.seriesOf(name), build);
  }

  async #rowFrom(
    { name, range, names, wanted, statistics }: RowOrder,
    history: SeriesHistory | undefined,
    file: HistoryFile | null,
  ): Promise<HistoryRow> {
    const store = history?.store ?? new SlotStore({ name, series: names.length, changed: null });
    const oldest = (ring: RingNumber) => {
      const numbers = [file?.extents[ring]?.oldest, store.oldestInMemory(ring)].filter((number) => number != null);
      return numbers.length === 0 ? null : Math.min(...numbers) * PERIODS_MS[ring];
    };
    const [short, long] = [oldest(SHORT), oldest(LONG)];
    const oldestOfAll = [short, long].filter((each) => each !== null);
    const row = (points: Points, slot_ms: number): HistoryRow => ({
      name,
      start: points.start,
      step_ms: points.stepMs,
      slot_ms,
      oldest: oldestOfAll.length === 0 ? null : Math.min(...oldestOfAll),
      series: Object.fromEntries(names.flatMap((each, at) => (wanted.has(each) ? [[each, points.curve(at, statistics)]] : []))),
    });

    const stepMs = (range.until - range.from) / range.points;
    if (stepMs < PERIODS_MS[SHORT] && history !== undefined && coversSeconds(history, range.from)) {
      const points = new Points(range, { periodMs: WATCHED_SAMPLE_MS, series: names.length });
      await this.#work.run(addSeconds(history, points, names.length));
      return row(points, WATCHED_SAMPLE_MS);
    }
    // Short slots show more, but do not go back so far.
    const ring = long === null || (short !== null && (short <= range.from || short < long + PERIODS_MS[LONG])) ? SHORT : LONG;
    const points = new Points(range, { periodMs: PERIODS_MS[ring], series: names.length });
    const numbers = points.numbers;
    const pieces = (await file?.read(ring, numbers.from, numbers.until)) ?? [];
    await this.#work.run(inSteps(store.visit(ring, numbers, pieces, (number, figures) => points.add(number, figures))));
    const { current } = history ?? {};
    if (ring === LONG && current) points.add(current.number, current.figures());
    return row(points, PERIODS_MS[ring]);
  }
}

function coversSeconds({ seconds }: SeriesHistory, from: number): boolean {
  return seconds !== null && seconds.reach.until > 0 && seconds.reach.from * WATCHED_SAMPLE_MS <= from + WATCHED_SAMPLE_MS;
}

function* addSeconds({ seconds }: SeriesHistory, points: Points, series: number): Steps {
  const { from, until } = points.numbers;
  for (let number = from; number < until; number++) {
    const figures = Array.from({ length: series }, (_, at) => seconds?.get(number, at) ?? Number.NaN);
    points.addSample(
      number,
      figures.map((figure) => (Number.isNaN(figure) ? null : figure)),
    );
    yield;
  }
}

/** Many slots a step: one takes less time than the clock needs. */
function* inSteps(slots: Iterable<unknown>): Steps {
  let read = 0;
  for (const _ of slots) if (++read % SLOTS_PER_STEP === 0) yield;
}
