import { type Signal, signal } from "@preact/signals";
import { client } from "../../../state/store.ts";
import { compileFilter, type LineFilter } from "./line-filter.ts";
import { type MergedLine, MergedLines } from "./merged-lines.ts";
import { MergedSource } from "./merged-source.ts";

interface Drawn {
  readonly lines: readonly MergedLine[];
  /** Number of lines that were dropped before the first one. */
  readonly dropped: number;
  /** Number of all lines, shown or not. */
  readonly count: number;
  readonly longest: number;
}

/** Merged output of one view: it begins again with other processes, and after each reconnect. */
export class MergedStore {
  /** The lines that are drawn: while it is paused, those of then. */
  readonly drawn: Signal<Drawn> = signal({ lines: [], dropped: 0, count: 0, longest: 0 });
  readonly isLoading = signal(true);
  /** Processes whose past output is missing. */
  readonly missing = signal<readonly { name: string; reason: string }[]>([]);
  /** Why the filter cannot be used; null: it can. */
  readonly problem = signal<string | null>(null);
  readonly isPaused = signal(false);
  #names: readonly string[] = [];
  #lines = new MergedLines();
  #source: MergedSource | null = null;
  /** The frame in which new lines are drawn: a thousand messages a second may have them. A hidden page has no frames, and draws none. */
  #frame: number | null = null;
  #filter: LineFilter = { text: "", isRegex: false };
  readonly #reconnects: { unsubscribe(): void };

  constructor() {
    this.#reconnects = client.link.state$.subscribe(({ kind }) => {
      if (kind === "open") this.#restart();
    });
  }

  /** Shows the output of other processes. */
  show(names: readonly string[]): void {
    if (names.length === this.#names.length && names.every((name, index) => name === this.#names[index])) return;
    this.#names = names;
    this.#restart();
  }

  async filter(filter: LineFilter): Promise<void> {
    this.#filter = filter;
    const matches = await compileFilter(filter);
    // The user has typed on meanwhile.
    if (this.#filter !== filter) return;
    this.problem.value = typeof matches === "string" ? matches : null;
    if (typeof matches === "string") return;
    this.#lines.filter(({ text, isGap }) => isGap || matches(text));
    this.#draw();
  }

  pause(isPaused: boolean): void {
    this.isPaused.value = isPaused;
    // A copy: lines are added to the drawn ones.
    if (isPaused) this.drawn.value = { ...this.drawn.peek(), lines: this.drawn.peek().lines.slice() };
    else this.#draw();
  }

  /** Removes all lines; what comes is shown. */
  clear(): void {
    this.#lines = new MergedLines();
    void this.filter({ ...this.#filter });
  }

  close(): void {
    this.#reconnects.unsubscribe();
    this.#source?.close();
  }

  #restart(): void {
    this.#source?.close();
    this.isLoading.value = true;
    this.missing.value = [];
    const lines = new MergedLines();
    this.#source = new MergedSource({
      names: this.#names,
      onLines: (added) => {
        this.#lines.add(added);
        this.#frame ??= requestAnimationFrame(() => {
          this.#frame = null;
          this.#draw();
        });
      },
      onLoaded: (missing) => {
        this.isLoading.value = false;
        this.missing.value = missing;
      },
    });
    this.#lines = lines;
    void this.filter({ ...this.#filter });
  }

  #draw(): void {
    if (this.isPaused.peek()) return;
    const { shown, dropped, count, longest } = this.#lines;
    this.drawn.value = { lines: shown, dropped, count, longest };
  }
}
