import { messageOf } from "../../../base/errors.ts";
import { untilWithin } from "../../../base/timing/wait.ts";
import type { RequestOf, ResponseOf } from "../../../contract/messages.ts";
import type { HostContext } from "../../../daemon/host-feature.ts";
import { type HostHit, MAX_SEARCH_BYTES, type SearchTarget } from "../contract.ts";
import type { SearchStop } from "../limits.ts";
import { openSource, type SearchSource } from "./search-source.ts";
import { SearchWorker } from "./search-worker.ts";
import type { LineHit } from "./worker/line-search.ts";
import type { SearchJob } from "./worker/messages.ts";

/** Bytes of a ring that are given to the thread at once. */
const PIECE_BYTES = 256 * 1024;
/** Hits of one answer, bytes of JSON: with its envelope below MAX_MESSAGE_BYTES. */
const MAX_ANSWER_BYTES = 256 * 1024;
/** An answer without hits is given after this time, milliseconds. */
const ANSWER_AFTER_MS = 1_000;
const MAX_PROBLEMS = 20;

export type SearchRequest = Omit<RequestOf<"search_output">, "session" | "search">;
type Hits = ResponseOf<"search_output_hits">;

interface Options {
  readonly request: SearchRequest;
  readonly host: Pick<HostContext, "output" | "clock">;
}

/** One search of the output of this host's processes. */
export class OutputSearch {
  readonly #options: Options;
  readonly #worker: SearchWorker;
  readonly #problems: string[] = [];
  readonly #hits: { readonly hit: HostHit; readonly bytes: number }[] = [];
  /** Completes what the thread finds now. */
  #complete: (hit: LineHit) => HostHit | null = () => null;
  /** Lines of the hits in the files of the process that is searched now. */
  readonly #fileLines = new Set<string>();
  #found = 0;
  #searched = 0;
  #end: Hits["end"] = null;
  #isCancelled = false;
  /** Called when there is something to answer. */
  #wake: () => void = () => {};

  private constructor(options: Options, worker: SearchWorker) {
    this.#options = options;
    this.#worker = worker;
  }

  /** Rejects with `bad_field` if the pattern cannot be used. */
  static async start(options: Options): Promise<OutputSearch> {
    const { pattern, regex, ignore_case, context, cpu_ms } = options.request;
    let search: OutputSearch | null = null;
    const worker = await SearchWorker.start(
      { pattern, isRegex: regex, ignoresCase: ignore_case, context, cpuMs: cpu_ms, maxBytes: MAX_SEARCH_BYTES },
      {
        onFound: (hits, bytes) => {
          if (search !== null) search.#take(hits, bytes);
        },
      },
    );
    search = new OutputSearch(options, worker);
    void search.#run();
    return search;
  }

  /** The next hits, as soon as there are some, or after a while. */
  async next(): Promise<Hits> {
    await untilWithin(
      () => this.#hits.length > 0 || this.#end !== null,
      (check) => {
        this.#wake = check;
        return () => {};
      },
      { forMs: ANSWER_AFTER_MS, clock: this.#options.host.clock },
    );
    const hits: HostHit[] = [];
    for (let bytes = 0; ; ) {
      const [first] = this.#hits;
      if (first === undefined || (hits.length > 0 && bytes + first.bytes > MAX_ANSWER_BYTES)) break;
      this.#hits.shift();
      hits.push(first.hit);
      bytes += first.bytes;
    }
    return { hits, searched: this.#searched, end: this.#hits.length === 0 ? this.#end : null };
  }

  async cancel(): Promise<void> {
    this.#isCancelled = true;
    await this.#worker.end();
  }

  async #run(): Promise<void> {
    let stop: SearchStop | null = null;
    try {
      for (const target of this.#options.request.targets) {
        if (stop !== null || this.#isCancelled) break;
        stop = await this.#searchTarget(target);
      }
    } catch (error) {
      if (!this.#isCancelled) this.#problem(messageOf(error));
    }
    await this.#worker.end();
    this.#end = { stop, cpu_ms: this.#worker.cpuMs, problems: this.#problems };
    this.#wake();
  }

  async #searchTarget(target: SearchTarget): Promise<SearchStop | null> {
    const { host, request } = this.#options;
    const source = await openSource(target, { ...host, ...request, onProblem: (problem) => this.#problem(problem) });
    try {
      return (await this.#searchFiles(source)) ?? (await this.#searchRing(source));
    } finally {
      // The thread reads them until its last answer, or until it has ended.
      if (this.#isCancelled) await this.#worker.ended;
      for (const { handle } of source.files) await handle.close();
    }
  }

  async #searchFiles({ files, filesFrom, unwritten, fileHit }: SearchSource): Promise<SearchStop | null> {
    this.#fileLines.clear();
    this.#complete = (found) => {
      const hit = fileHit(found);
      if (hit !== null) this.#fileLines.add(hit.line);
      return hit;
    };
    const jobs: SearchJob[] = [];
    let start = 0;
    for (const { handle, size } of files) {
      const from = Math.max(0, filesFrom - start);
      const isTorn = filesFrom > start && from < size;
      if (from < size) jobs.push({ kind: "file", fd: handle.fd, from, until: size, isTorn });
      start += size;
    }
    if (unwritten.length > 0) jobs.push({ kind: "bytes", bytes: unwritten });
    if (jobs.length === 0) return null;
    return this.#do([{ kind: "begin", position: filesFrom, limit: this.#left }, ...jobs, { kind: "end" }]);
  }

  /** A line that a file has, too, is found there: a hit of the same text is left out. */
  async #searchRing({ ring: part, ringHit }: SearchSource): Promise<SearchStop | null> {
    if (part === null || this.#left === 0) return null;
    this.#complete = (hit) => (this.#fileLines.has(hit.line) ? null : ringHit(hit));
    const { ring, until } = part;
    let position = part.from;
    let stop = await this.#do([{ kind: "begin", position, limit: this.#left }]);
    while (stop === null && position < until) {
      const { from, data } = ring.read(position, Math.min(PIECE_BYTES, until - position));
      if (data.length === 0) break;
      const gap: SearchJob[] = from > position ? [{ kind: "gap", bytes: from - position }] : [];
      stop = await this.#do([...gap, { kind: "bytes", bytes: data }]);
      position = from + data.length;
    }
    return stop ?? this.#do([{ kind: "end" }]);
  }

  async #do(jobs: readonly SearchJob[]): Promise<SearchStop | null> {
    for (const job of jobs) {
      const { stop, problem } = await this.#worker.run(job);
      if (problem !== null) this.#problem(problem);
      if (stop !== null) return stop;
    }
    return null;
  }

  get #left(): number {
    return Math.max(0, this.#options.request.limit - this.#found);
  }

  #take(hits: readonly LineHit[], bytes: number): void {
    this.#searched += bytes;
    for (const found of hits) {
      const hit = this.#complete(found);
      if (hit === null) continue;
      this.#found++;
      this.#hits.push({ hit, bytes: Buffer.byteLength(JSON.stringify(hit)) });
    }
    if (this.#hits.length > 0) this.#wake();
  }

  #problem(problem: string): void {
    if (this.#problems.length < MAX_PROBLEMS && !this.#problems.includes(problem)) this.#problems.push(problem);
  }
}
