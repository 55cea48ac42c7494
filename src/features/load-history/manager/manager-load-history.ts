import type { DomainEvents } from "../../../actors/domain-events.ts";
import { ofAllHosts } from "../../../app/hosts/all-hosts.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import { readList } from "../../../app/hosts/list-reader.ts";
import type { NamedHosts } from "../../../app/hosts/named-hosts.ts";
import type { ProcessTable } from "../../../app/processes/process-table.ts";
import { MgrError } from "../../../base/errors.ts";
import { compileFnmatch } from "../../../base/patterns/fnmatch.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { LogBook } from "../../../log/log-book.ts";
import { formatTime } from "../../../protocol/time.ts";
import { contains, type ViewMode } from "../../../transport/view.ts";
import { type HistoryRow, historyPage, newestPage } from "../contract.ts";
import { MAX_EVENTS, STATISTICS } from "../series.ts";
import { eventsOf, wantedNames } from "./history-events.ts";
import { loadFigures } from "./load-figures.ts";
import type {
  Events,
  EventsRequest,
  History,
  HistoryRequest,
  HostHistory,
  HostHistoryRequest,
  LoadHistory,
  Memory,
  Newest,
  NewestRequest,
} from "./load-history.ts";
import { rangeOf } from "./load-requests.ts";
import { type LoadSample, LoadWatches } from "./load-watches.ts";

interface ManagerLoadHistoryOptions {
  readonly clock: Clock;
  readonly hosts: HostTable;
  readonly named: Pick<NamedHosts, "canonical" | "session">;
  readonly log: Pick<LogBook, "newestFirst" | "oldest">;
  readonly events: DomainEvents;
  readonly processes: Pick<ProcessTable, "hostOf" | "membersOf" | "process">;
}

/** Requests load history of the hosts, which keep it. */
export class ManagerLoadHistory implements LoadHistory {
  readonly #options: ManagerLoadHistoryOptions;
  readonly #watches: LoadWatches;

  constructor(options: ManagerLoadHistoryOptions) {
    this.#options = options;
    this.#watches = new LoadWatches(options);
  }

  async history(
    { names, pattern, series = [], statistics = [...STATISTICS], ...request }: HistoryRequest,
    view: ViewMode,
  ): Promise<History> {
    const { clock, hosts } = this.#options;
    const range = rangeOf(request, clock.now());
    const inView = (names ?? []).filter((name) => contains(view, name));
    const requested = { ...selected(names, pattern, view), names: inView, series, statistics, ...range };
    const { answers, away } = await ofAllHosts(
      hosts,
      (session) => session.command((id) => session.link.request("load_history", { session: id, ...requested })),
      historyPage,
    );
    const processes = answers.flatMap(({ host, rows }) =>
      rows.flatMap((row) => (contains(view, row.name) ? { name: row.name, host, ...historyOf(row), series: row.series } : [])),
    );
    return { processes, away };
  }

  async hostHistory({ host, ...request }: HostHistoryRequest): Promise<HostHistory> {
    const session = this.#options.named.session(host);
    const range = rangeOf(request, this.#options.clock.now());
    const made = await session.command((id) => session.link.request("host_load_history", { session: id, ...range }));
    const [row] = await readList(session, made, historyPage);
    if (row === undefined) throw new Error("a host has answered without its history");
    return { host: session.link.host, ...historyOf(row), series: row.series };
  }

  async newest({ names, pattern }: NewestRequest, view: ViewMode): Promise<Newest> {
    const matches = compileFnmatch(selected(names, pattern, view).pattern ?? "");
    const requested = new Set(names);
    const isWanted = (name: string) => contains(view, name) && (requested.has(name) || matches(name));
    const { answers, away } = await ofAllHosts(
      this.#options.hosts,
      (session) => session.command((id) => session.link.request("newest_loads", { session: id })),
      newestPage,
    );
    const processes = answers.flatMap(({ host, rows }) =>
      rows.flatMap(([name, figures, time]) => (isWanted(name) ? { name, host, ts: formatTime(time), load: loadFigures(figures) } : [])),
    );
    return { processes, away };
  }

  events({ name, host, kinds, limit = MAX_EVENTS, ...request }: EventsRequest, view: ViewMode): Events {
    const { clock, log, named, processes } = this.#options;
    const { from, until } = rangeOf(request, clock.now());
    const on = host === undefined ? null : named.canonical(host);
    const isOnHost = (each: string) => on === null || processes.hostOf(each) === on;
    const { events, left_out } = eventsOf(log.newestFirst(), {
      ...{ from: formatTime(from), until: formatTime(until), limit, kinds },
      process: name !== undefined && processes.process(name) !== undefined ? name : null,
      isWanted: wantedNames({ name, isOnHost }, view),
    });
    return { events, left_out, oldest: log.oldest?.ts ?? null };
  }

  async memory(name: string): Promise<Memory> {
    const { named, processes } = this.#options;
    const process = processes.process(name);
    if (process === undefined) throw new MgrError("not_found", `there is no process '${name}'`);
    const host = processes.hostOf(name);
    if (process.pid === null || host === null) throw new MgrError("not_running", `'${name}' is not running`);
    const session = named.session(host);
    const { time, ...memory } = await session.command((id) => session.link.request("memory_detail", { session: id, name }));
    return { host, ts: formatTime(time), ...memory };
  }

  watch(name: string, sampled: (sample: LoadSample) => void): () => void {
    return this.#watches.watch(name, sampled);
  }

  close(): void {
    this.#watches.close();
  }
}

/** The pattern of a request; null: names alone. Without both it is everything. */
function selected(names: readonly string[] | undefined, pattern: string | undefined, view: ViewMode): { pattern: string | null } {
  const wanted = pattern ?? (names === undefined ? "*" : null);
  // The only process in view need not be searched for.
  if (wanted !== null && view.kind === "single_process") return { pattern: compileFnmatch(wanted)(view.name) ? literal(view.name) : null };
  return { pattern: wanted };
}

/** A pattern that matches this name alone. */
const literal = (name: string) => name.replace(/[*?[]/g, (character) => `[${character}]`);

function historyOf({ start, step_ms, slot_ms, oldest }: HistoryRow) {
  return {
    start: formatTime(start),
    step: step_ms / 1_000,
    resolution: slot_ms / 1_000,
    oldest: oldest === null ? null : formatTime(oldest),
  };
}
