import type { AnswerOf } from "../../../protocol/frames/frames.ts";
import { MAX_SEARCH_BYTES } from "../contract.ts";
import type { SearchStop } from "../limits.ts";
import type { OutputHit } from "../wire.ts";

type Done = AnswerOf<"search_output">;
const MAX_PROBLEMS = 100;

/** The hits of all hosts of one search, within the limits of the search. */
export class SearchTotals {
  readonly #limit: number;
  readonly #searched = new Map<string, number>();
  readonly #truncated: Done["truncated"] = [];
  readonly #problems: Done["problems"] = [];
  readonly #unanswered: Done["unanswered"] = [];
  #hits = 0;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The limit of all hosts together that is reached. */
  get stop(): SearchStop | null {
    if (this.#hits >= this.#limit) return "hits";
    return this.#bytes >= MAX_SEARCH_BYTES ? "size" : null;
  }

  /** Number of hits that are still wanted. */
  get hitsLeft(): number {
    return this.stop === null ? this.#limit - this.#hits : 0;
  }

  get searchedBytes(): number {
    return [...this.#searched.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  /** The hits that are within the limits. */
  take(host: string, hits: readonly OutputHit[]): OutputHit[] {
    const taken: OutputHit[] = [];
    for (const hit of hits) {
      if (this.stop !== null) {
        this.truncated(host, this.stop);
        break;
      }
      taken.push(hit);
      this.#hits++;
      this.#bytes += Buffer.byteLength(JSON.stringify(hit));
    }
    return taken;
  }

  searched(host: string, bytes: number): void {
    this.#searched.set(host, bytes);
  }

  truncated(host: string, by: SearchStop): void {
    if (!this.#truncated.some((each) => each.host === host)) this.#truncated.push({ host, by });
  }

  problem(host: string, problem: string): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ host, problem });
  }

  unanswered(host: string, reason: string): void {
    this.#unanswered.push({ host, reason });
  }

  get summary(): Pick<Done, "hits" | "searched" | "truncated" | "unanswered" | "problems"> {
    return {
      hits: this.#hits,
      searched: this.searchedBytes,
      truncated: this.#truncated,
      unanswered: this.#unanswered,
      problems: this.#problems,
    };
  }
}
