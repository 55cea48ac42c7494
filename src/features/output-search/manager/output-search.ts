import type { ManagerCore } from "../../../app/feature.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { compileFnmatch } from "../../../base/patterns/fnmatch.ts";
import type { AnswerOf, FrameOf, ManagerFrame } from "../../../protocol/frames/frames.ts";
import { formatTime } from "../../../protocol/time.ts";
import type { HandlerContext } from "../../../transport/handlers/handler.ts";
import { selectInView } from "../../../transport/select-in-view.ts";
import { contains } from "../../../transport/view.ts";
import type { HostHit, SearchTarget } from "../contract.ts";
import { DEFAULT_SEARCH_HITS } from "../limits.ts";
import type { OutputHit } from "../wire.ts";
import { type HostQuery, searchHost } from "./host-output-search.ts";
import { runOfOutput } from "./run-of-output.ts";
import { SearchTotals } from "./search-totals.ts";

type Query = FrameOf<"search_output">;
type Progress = Extract<ManagerFrame, { type: "search_output_hits" | "search_output_progress" }>;

/** Least time between two frames about the progress while a host is searched, milliseconds. */
const PROGRESS_MS = 250;

export interface SearchOptions {
  readonly context: Pick<HandlerContext, "control" | "view">;
  readonly send: (frame: Progress) => void;
  readonly signal: AbortSignal;
}

/** Searches the output of processes; the result is the summary. */
export type SearchOutput = (query: Query, options: SearchOptions) => Promise<AnswerOf<"search_output">>;

interface Options extends SearchOptions {
  readonly core: Pick<ManagerCore, "clock" | "config" | "hostName" | "named" | "processes">;
}

/** Searches the output of processes on all their hosts at the same time. Rejects with `bad_field` if the pattern cannot be used. */
export async function searchOutput(query: Query, options: Options): Promise<AnswerOf<"search_output">> {
  const { core, signal } = options;
  const totals = new SearchTotals(query.limit ?? DEFAULT_SEARCH_HITS);
  const byHost = targetsByHost(selected(query, options), core);
  /** Ends the search at the hosts: it is cancelled, it has all hits, or its pattern is refused. */
  const end = new AbortController();
  const cancel = () => end.abort();
  signal.addEventListener("abort", cancel);
  const progress = new ProgressSender(query.search, byHost.size, { ...options, totals });
  const failures: unknown[] = [];
  const searching = new Set(byHost.keys());
  await Promise.all(
    [...byHost].map(async ([host, targets]) => {
      try {
        const session = core.named.session(host);
        const onHits = (hits: readonly HostHit[]) => {
          const taken = totals.take(
            host,
            hits.map((hit) => wireHit(hit, { host, streamId: session.streamId, options })),
          );
          if (taken.length > 0) options.send({ type: "search_output_hits", search: query.search, hits: taken });
          progress.moved();
          if (totals.stop === null) return;
          for (const each of searching) totals.truncated(each, totals.stop);
          end.abort();
        };
        await searchHost({ session, query: hostQuery(query), targets, totals, onHits, signal: end.signal });
        searching.delete(host);
        progress.hostDone();
      } catch (error) {
        if (!(error instanceof MgrError) || error.code === "bad_field" || error.code === "internal") {
          failures.push(error);
          end.abort();
        } else totals.unanswered(host, error.message);
      }
    }),
  );
  signal.removeEventListener("abort", cancel);
  if (failures.length > 0) throw refusal(failures[0]);
  return { type: "search_output_done", search: query.search, cancelled: signal.aborted, ...totals.summary };
}

function refusal(error: unknown): unknown {
  return error instanceof MgrError && error.code === "bad_field"
    ? new MgrError("bad_field", `'pattern' of 'search_output': ${messageOf(error)}`)
    : error;
}

/** Names of the processes that are searched. Throws `not_found` and `out_of_scope`. */
function selected({ names, patterns }: Query, { core, context: { view } }: Options): string[] {
  const all = core.processes.names();
  const inView = all.filter((name) => contains(view, name));
  if (names === undefined && patterns === undefined) return inView;
  const chosen = new Set<string>();
  for (const word of names ?? []) {
    for (const name of selectInView(all, word, view)) chosen.add(name);
  }
  for (const pattern of patterns ?? []) for (const name of inView.filter(compileFnmatch(pattern))) chosen.add(name);
  return [...chosen];
}

function targetsByHost(names: readonly string[], { processes, config, hostName }: Options["core"]): Map<string, SearchTarget[]> {
  const byHost = new Map<string, SearchTarget[]>();
  for (const name of names) {
    const definition = config().processes.get(name);
    const log = definition?.log_file ?? null;
    const log_file = log === null ? null : { path: log.path, base_dir: definition?.base_dir ?? "", max_files: log.max_files };
    const host = processes.outputHostOf(name) ?? processes.hostOf(name) ?? hostName;
    byHost.set(host, [...(byHost.get(host) ?? []), { name, log_file }]);
  }
  return byHost;
}

function hostQuery({ pattern, regex = false, ignore_case = false, since, until, context = 0 }: Query): HostQuery {
  const ms = (seconds: number | undefined) => (seconds === undefined ? null : 1_000 * seconds);
  return { pattern, regex, ignore_case, since_ms: ms(since), until_ms: ms(until), context };
}

function wireHit(
  { offset, age_ms, ...hit }: HostHit,
  { host, streamId, options }: { host: string; streamId: string | null; options: Options },
): OutputHit {
  const { core, context } = options;
  const place = offset === null || streamId === null ? null : { offset, stream_id: streamId };
  const history =
    place === null || core.processes.process(hit.name) === undefined ? [] : context.control.state.processDetail(hit.name).history;
  const run = place === null ? null : runOfOutput(history, place);
  return { ...hit, host, run, place, time: age_ms === null ? null : formatTime(core.clock.now() - age_ms) };
}

/** Reports the progress of a search to the client, at a limited rate. */
class ProgressSender {
  readonly #search: string;
  readonly #hosts: number;
  readonly #options: Pick<Options, "core" | "send"> & { readonly totals: SearchTotals };
  #sent: number;
  #done = 0;

  constructor(search: string, hosts: number, options: Pick<Options, "core" | "send"> & { readonly totals: SearchTotals }) {
    this.#search = search;
    this.#hosts = hosts;
    this.#options = options;
    this.#sent = options.core.clock.monotonic();
  }

  moved(): void {
    if (this.#options.core.clock.monotonic() - this.#sent >= PROGRESS_MS) this.#send();
  }

  hostDone(): void {
    this.#done++;
    this.#send();
  }

  #send(): void {
    const { core, send, totals } = this.#options;
    this.#sent = core.clock.monotonic();
    const searched = totals.searchedBytes;
    send({ type: "search_output_progress", search: this.#search, searched, hosts: this.#hosts, hosts_done: this.#done });
  }
}
