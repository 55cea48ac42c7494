import type { KeptSample } from "./kept-sample.ts";

/** Maximum number of bytes; beyond it, the oldest are taken as received. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Memory of an entry besides its headers and its payload, bytes: small samples take more of it than of bytes. */
const ENTRY_BYTES = 256;
/** Number of entries that were given up and are removed from the list together: removing one moves all others. */
const MAX_SURPLUS = 4_096;

interface Entry {
  readonly topic: string;
  readonly sample: KeptSample;
  /** When it was published, by the monotonic clock, milliseconds. */
  readonly at: number;
}

/** Samples that were sent over the link and may still be on their way: a link that hangs is noticed only after seconds. */
export class UnconfirmedSamples {
  /** The first `#surplus` ones were given up. */
  #entries: (Entry | undefined)[] = [];
  #surplus = 0;
  #bytes = 0;

  /** Copies the sample, which is borrowed. */
  add(topic: string, { received, headers, payload }: KeptSample, at: number): void {
    this.#entries.push({ topic, sample: { received, headers: Buffer.from(headers), payload: Buffer.from(payload) }, at });
    this.#bytes += sizeOf(this.#entries.at(-1));
    for (; this.#bytes > MAX_BYTES && this.#surplus < this.#entries.length; this.#surplus++) {
      this.#bytes -= sizeOf(this.#entries[this.#surplus]);
      this.#entries[this.#surplus] = undefined;
    }
    if (this.#surplus >= MAX_SURPLUS) this.#compact();
  }

  /** All that was published until this time has arrived. */
  confirm(at: number): void {
    this.#compact();
    const first = this.#entries.findIndex((entry) => entry !== undefined && entry.at > at);
    const confirmed = this.#entries.slice(0, first < 0 ? undefined : first);
    this.#entries = first < 0 ? [] : this.#entries.slice(first);
    for (const entry of confirmed) this.#bytes -= sizeOf(entry);
  }

  /** Removes and returns all, the oldest first. */
  take(): readonly Pick<Entry, "topic" | "sample">[] {
    const taken = this.#entries.filter((entry) => entry !== undefined);
    this.#entries = [];
    this.#surplus = 0;
    this.#bytes = 0;
    return taken;
  }

  #compact(): void {
    if (this.#surplus > 0) this.#entries = this.#entries.slice(this.#surplus);
    this.#surplus = 0;
  }
}

function sizeOf(entry: Entry | undefined): number {
  return entry === undefined ? 0 : ENTRY_BYTES + entry.sample.headers.length + entry.sample.payload.length;
}
