import { MgrError } from "../../../base/errors.ts";
import type { ResponseOf } from "../../../contract/messages.ts";
import type { HostContext } from "../../../daemon/host-feature.ts";
import { FETCH_WITHIN_MS, MAX_HOST_SEARCHES } from "../contract.ts";
import { OutputSearch, type SearchRequest } from "./output-search.ts";

interface Entry {
  /** Rejects if it could not begin. */
  readonly search: Promise<OutputSearch>;
  /** Ends it if its hits are not fetched. */
  timer: unknown;
}

/** The searches of this host: a bounded number, each ends with the session of its manager. */
export class OutputSearches {
  readonly #host: Pick<HostContext, "output" | "clock">;
  readonly #entries = new Map<string, Entry>();

  constructor(host: Pick<HostContext, "output" | "clock">) {
    this.#host = host;
  }

  /** Number of searches under way. */
  get size(): number {
    return this.#entries.size;
  }

  async begin(name: string, request: SearchRequest): Promise<void> {
    if (this.#entries.has(name)) throw new MgrError("conflict", `there is a search '${name}' already`);
    if (this.#entries.size >= MAX_HOST_SEARCHES)
      throw new MgrError("busy", `this host carries out ${MAX_HOST_SEARCHES} searches of output already; try again later`);
    const entry: Entry = { search: OutputSearch.start({ request, host: this.#host }), timer: null };
    this.#entries.set(name, entry);
    this.#expectFetch(name, entry);
    try {
      await entry.search;
    } catch (error) {
      this.#remove(name);
      throw error;
    }
  }

  async next(name: string): Promise<ResponseOf<"search_output_hits">> {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new MgrError("not_found", `there is no search '${name}': it has ended`);
    this.#host.clock.clearTimeout(entry.timer);
    const answer = await (await entry.search).next();
    if (answer.end !== null) this.#remove(name);
    else if (this.#entries.get(name) === entry) this.#expectFetch(name, entry);
    return answer;
  }

  async cancel(name: string): Promise<void> {
    const search = this.#remove(name);
    // One that could not begin has told why.
    await search?.then((begun) => begun.cancel()).catch(() => undefined);
  }

  async cancelAll(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((name) => this.cancel(name)));
  }

  #expectFetch(name: string, entry: Entry): void {
    const { clock } = this.#host;
    clock.clearTimeout(entry.timer);
    entry.timer = clock.setTimeout(() => void this.cancel(name), FETCH_WITHIN_MS);
  }

  #remove(name: string): Promise<OutputSearch> | undefined {
    const entry = this.#entries.get(name);
    this.#host.clock.clearTimeout(entry?.timer);
    this.#entries.delete(name);
    return entry?.search;
  }
}
