/** Objects that are advertised to one viewer, each with an id that is never used again. */
export class Advertised<Entry> {
  readonly #entries = new Map<number, { readonly key: string; readonly entry: Entry }>();
  readonly #ids = new Map<string, number>();
  #last = 0;

  get(id: number): Entry | undefined {
    return this.#entries.get(id)?.entry;
  }

  /** Replaces the objects; equal keys are the same object. Returns what was added, and the ids of what was removed. */
  update(present: ReadonlyMap<string, Entry>): { added: { readonly id: number; readonly entry: Entry }[]; removed: number[] } {
    const removed = [...this.#ids].flatMap(([key, id]) => (present.has(key) ? [] : id));
    for (const id of removed) {
      this.#ids.delete(this.#entries.get(id)?.key ?? "");
      this.#entries.delete(id);
    }
    const added = [...present].flatMap(([key, entry]) => {
      if (this.#ids.has(key)) return [];
      const id = ++this.#last;
      this.#ids.set(key, id);
      this.#entries.set(id, { key, entry });
      return { id, entry };
    });
    return { added, removed };
  }
}
