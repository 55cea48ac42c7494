import { randomUUID } from "node:crypto";
import { MgrError } from "../../base/errors.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { ListPage } from "../../contract/pages.ts";

/** Size of a page's JSON, bytes: below MAX_MESSAGE_BYTES with room for a row of the longest command line and environment. */
const PAGE_BYTES = 128 * 1024;
/** Maximum size of a list, bytes: 100,000 tasks without environments. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;
/** Maximum number of lists that were not fetched to their end; the oldest are removed first. */
const MAX_LISTS = 16;
const RETENTION_MS = 30_000;

interface List {
  /** Entries that were not sent yet. */
  readonly pages: Buffer<ArrayBuffer>[];
  readonly timer: unknown;
}

/** Lists that the manager fetches page by page, as JSON. */
export class ListPages {
  readonly #clock: Clock;
  readonly #lists = new Map<string, List>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Creates a list from all its rows, and returns its first page. Throws `too_large`. */
  of(rows: Iterable<unknown>): ListPage {
    const list = this.open();
    for (const row of rows) list.add(row);
    return list.end();
  }

  /** Creates a list that is filled row by row; `end` returns its first page. `add` throws `too_large`. */
  open(): { add: (row: unknown) => void; end: () => ListPage } {
    const id = randomUUID();
    const pages: Buffer<ArrayBuffer>[] = [];
    let rows: string[] = [];
    let length = 0;
    let total = 0;
    const cut = () => {
      const page = Buffer.from(`[${rows.join(",")}]`);
      total += page.length;
      if (total > MAX_LIST_BYTES)
        throw new MgrError("too_large", `the list is over ${MAX_LIST_BYTES} bytes: leave environments out or give a filter`);
      pages.push(page);
      rows = [];
      length = 0;
    };
    return {
      add: (value) => {
        const row = JSON.stringify(value);
        const bytes = Buffer.byteLength(row);
        if (rows.length > 0 && length + bytes > PAGE_BYTES) cut();
        rows.push(row);
        length += bytes + 1;
      },
      end: () => {
        cut();
        if (pages.length > 1) this.#keep(id, pages);
        return firstOf(id, pages);
      },
    };
  }

  /** The next page of a list. */
  read(id: string | null): ListPage {
    const list = this.#lists.get(id ?? "");
    if (id === null || list === undefined) throw new MgrError("not_found", "this list has expired; request a new one");
    const page = firstOf(id, list.pages);
    if (page.next === null) this.#drop(id);
    return page;
  }

  close(): void {
    for (const id of [...this.#lists.keys()]) this.#drop(id);
  }

  #keep(id: string, pages: Buffer<ArrayBuffer>[]): void {
    for (const oldest of this.#lists.keys()) if (this.#lists.size >= MAX_LISTS) this.#drop(oldest);
    this.#lists.set(id, { pages, timer: this.#clock.setTimeout(() => this.#drop(id), RETENTION_MS) });
  }

  #drop(id: string): void {
    this.#clock.clearTimeout(this.#lists.get(id)?.timer);
    this.#lists.delete(id);
  }
}

/** Takes the first of the pages. */
function firstOf(id: string, pages: Buffer<ArrayBuffer>[]): ListPage {
  const data = pages.shift() ?? Buffer.from("[]");
  return { data, next: pages.length === 0 ? null : id };
}
