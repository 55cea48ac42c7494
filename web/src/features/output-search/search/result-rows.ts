import type { OutputHit } from "../../../../../src/features/output-search/wire.ts";

/** The lines around a hit, or why they are not there. */
export type HitContext =
  | { readonly kind: "loading" }
  | { readonly kind: "lines"; readonly before: readonly string[]; readonly after: readonly string[] }
  | { readonly kind: "problem"; readonly text: string };

/** The hits of one process. */
interface HitGroup {
  readonly name: string;
  readonly hits: FoundHit[];
  isFolded: boolean;
}

/** A hit, with a number that names it. */
export interface FoundHit {
  readonly id: number;
  readonly hit: OutputHit;
}

/** A row of the list. All rows have the same height. */
export type ResultRow = { readonly key: string } & (
  | { readonly kind: "process"; readonly name: string; readonly host: string; readonly count: number; readonly isFolded: boolean }
  | { readonly kind: "hit"; readonly found: FoundHit; readonly isOpen: boolean }
  /** A line around a hit, the hit itself, or a text about it. */
  | { readonly kind: "line"; readonly text: string; readonly role: "about" | "context" | "match" }
);

/** The hits of a search, grouped by process in the order in which they were found. */
export class SearchResults {
  readonly #groups = new Map<string, HitGroup>();
  readonly #contexts = new Map<number, HitContext>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get processes(): number {
    return this.#groups.size;
  }

  add(hit: OutputHit): void {
    const group = this.#groups.get(hit.name) ?? { name: hit.name, hits: [], isFolded: false };
    this.#groups.set(hit.name, group);
    group.hits.push({ id: this.#count++, hit });
  }

  fold(name: string, isFolded: boolean): void {
    const group = this.#groups.get(name);
    if (group) group.isFolded = isFolded;
  }

  context(id: number): HitContext | undefined {
    return this.#contexts.get(id);
  }

  /** Sets the lines around a hit; null closes them. */
  setContext(id: number, context: HitContext | null): void {
    if (context === null) this.#contexts.delete(id);
    else this.#contexts.set(id, context);
  }

  rows(): ResultRow[] {
    const rows: ResultRow[] = [];
    for (const { name, hits, isFolded } of this.#groups.values()) {
      rows.push({ key: `p${name}`, kind: "process", name, host: hits[0]?.hit.host ?? "", count: hits.length, isFolded });
      if (isFolded) continue;
      for (const found of hits) {
        const context = this.#contexts.get(found.id);
        rows.push({ key: `h${found.id}`, kind: "hit", found, isOpen: context !== undefined });
        if (context !== undefined) rows.push(...contextRows(found, context));
      }
    }
    return rows;
  }
}

function contextRows({ id, hit }: FoundHit, context: HitContext): ResultRow[] {
  const line = (at: number, role: "about" | "context" | "match", text: string): ResultRow => ({
    key: `h${id}.${at}`,
    kind: "line",
    role,
    text,
  });
  const about = line(0, "about", placeText(hit));
  if (context.kind === "loading") return [about, line(1, "about", "Loading the lines around it…")];
  if (context.kind === "problem") return [about, line(1, "about", context.text)];
  const lines = [
    ...context.before.map((text) => ["context", text] as const),
    ["match", hit.line] as const,
    ...context.after.map((text) => ["context", text] as const),
  ];
  return [about, ...lines.map(([role, text], index) => line(index + 1, role, text))];
}

/** Where a hit is: in memory, or at a position of a file. */
function placeText({ file, place, host, run }: OutputHit): string {
  const where = file === null ? "In memory" : `${file.path}, byte ${file.position}`;
  const kept = file !== null && place === null ? ", not in memory any more" : "";
  return `${where}${kept}, on ${host}${run === null ? "" : `, run ${run.number}`}`;
}

/** Number of characters before a match that are shown. */
const BEFORE_MATCH = 60;

/** A hit's line for one row: if the match is far from its beginning, the beginning is left out. */
export function shownHit({ line, match: [start, end], is_cut }: OutputHit): { before: string; match: string; after: string } {
  const from = start > BEFORE_MATCH + 20 ? start - BEFORE_MATCH : 0;
  return {
    before: `${from > 0 || (is_cut && start > 0) ? "…" : ""}${line.slice(from, start)}`,
    match: line.slice(start, end),
    after: line.slice(end),
  };
}

/** Whether two hits are the same line. */
export function isSamePlace(one: OutputHit, other: OutputHit): boolean {
  if (one.file !== null) return other.file !== null && one.file.path === other.file.path && one.file.position === other.file.position;
  return one.place !== null && one.place.stream_id === other.place?.stream_id && one.place.offset === other.place.offset;
}
