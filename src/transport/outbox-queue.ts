import { MAX_SHORT_OUTPUT_BYTES } from "../contract/messages.ts";

/** Maximum number of times one item may be overtaken, so that longer output is sent even if much short output follows. */
const MAX_OVERTAKEN = 64;

/** One message on its way to the socket. */
export interface OutboxItem {
  readonly bytes: Buffer;
  /** Further parts of the same message, created when the socket is ready for them. */
  readonly more?: Iterator<Buffer> | undefined;
  /** A requested answer: not counted against the limits. */
  readonly exempt: boolean;
  /** Items of one key replace each other when the reader is slow; null: never replaced. */
  readonly mergeKey: string | null;
  /** Called when the socket has accepted the last byte. */
  readonly onSent: (() => void) | null;
  /** The process whose output it is; null: it neither overtakes nor is overtaken. */
  readonly process: string | null;
  /** Number of times it was overtaken. */
  overtaken: number;
}

/**
 * First in, first out, except that short output overtakes the longer output of other processes. An item with a merge key can be removed before it
 * is sent.
 */
export class OutboxQueue {
  #items: (OutboxItem | null)[] = [];
  #head = 0;
  /** Index of the newest item of each merge key; null until one is to be replaced, which few queues ever need. */
  #byKey: Map<string, number> | null = null;
  #countedBytes = 0;

  /** Bytes of the items that count against the limits. */
  get countedBytes(): number {
    return this.#countedBytes;
  }

  get isEmpty(): boolean {
    this.#skipReplaced();
    return this.#head >= this.#items.length;
  }

  push(item: OutboxItem): void {
    if (item.mergeKey !== null) this.#byKey?.set(item.mergeKey, this.#items.length);
    // Overtaken items have no merge key, so that all indexes remain valid.
    const place = this.#placeOf(item);
    if (place === this.#items.length) this.#items.push(item);
    else this.#items.splice(place, 0, item);
    if (!item.exempt) this.#countedBytes += item.bytes.length;
  }

  /** Removes the newest waiting item of `mergeKey`: its successor replaces it. */
  drop(mergeKey: string): void {
    this.#byKey ??= this.#index();
    const index = this.#byKey.get(mergeKey);
    if (index === undefined) return;
    this.#byKey.delete(mergeKey);
    this.#forget(this.#items[index] ?? null);
    this.#items[index] = null;
  }

  shift(): OutboxItem | null {
    this.#skipReplaced();
    const item = this.#items[this.#head] ?? null;
    if (item === null) return null;
    if (item.mergeKey !== null && this.#byKey?.get(item.mergeKey) === this.#head) this.#byKey.delete(item.mergeKey);
    this.#forget(item);
    this.#items[this.#head++] = null;
    if (this.#head === this.#items.length) this.#compact();
    else if (this.#head >= 1_024 && this.#head * 2 >= this.#items.length) this.#compact();
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
    this.#byKey = null;
    this.#countedBytes = 0;
  }

  #placeOf({ process, bytes }: OutboxItem): number {
    let place = this.#items.length;
    if (process === null || bytes.length > MAX_SHORT_OUTPUT_BYTES) return place;
    for (; place > this.#head; place--) {
      const before = this.#items[place - 1];
      if (!before || before.process === null || before.process === process) break;
      if (before.bytes.length <= MAX_SHORT_OUTPUT_BYTES || before.overtaken >= MAX_OVERTAKEN) break;
      before.overtaken++;
    }
    return place;
  }

  #skipReplaced(): void {
    while (this.#head < this.#items.length && this.#items[this.#head] === null) this.#head++;
  }

  #forget(item: OutboxItem | null): void {
    if (item !== null && !item.exempt) this.#countedBytes -= item.bytes.length;
  }

  #index(): Map<string, number> {
    const byKey = new Map<string, number>();
    for (const [index, item] of this.#items.entries()) if (item !== null && item.mergeKey !== null) byKey.set(item.mergeKey, index);
    return byKey;
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head);
    if (this.#items.length === 0) this.#byKey = null;
    for (const [key, index] of this.#byKey ?? []) this.#byKey?.set(key, index - this.#head);
    this.#head = 0;
  }
}
