import type { KeptSample } from "./kept-sample.ts";

/** Maximum number of bytes; beyond it, the oldest are taken as received. */
const MAX_BYTES = 16 * 1024 * 1024;

interface Entry {
  readonly topic: string;
  readonly sample: KeptSample;
  /** When it was published, by the monotonic clock, milliseconds. */
  readonly at: number;
}

/** Samples that were sent over the link and may still be on their way: a link that hangs is noticed only after seconds. */
export class UnconfirmedSamples {
  #entries: Entry[] = [];
  #bytes = 0;

  /** Copies the sample, which is borrowed. */
  add(topic: string, { received, headers, payload }: KeptSample, at: number): void {
    this.#entries.push({ topic, sample: { received, headers: Buffer.from(headers), payload: Buffer.from(payload) }, at });
    this.#bytes += headers.length + payload.length;
    let surplus = 0;
    while (this.#bytes > MAX_BYTES && surplus < this.#entries.length) this.#bytes -= sizeOf(this.#entries[surplus++]);
    if (surplus > 0) this.#entries = this.#entries.slice(surplus);
  }

  /** All that was published until this time has arrived. */
  confirm(at: number): void {
    const first = this.#entries.findIndex((entry) => entry.at > at);
    const confirmed = this.#entries.slice(0, first < 0 ? undefined : first);
    this.#entries = first < 0 ? [] : this.#entries.slice(first);
    for (const entry of confirmed) this.#bytes -= sizeOf(entry);
  }

  /** Removes and returns all, the oldest first. */
  take(): readonly Pick<Entry, "topic" | "sample">[] {
    const taken = this.#entries;
    this.#entries = [];
    this.#bytes = 0;
    return taken;
  }
}

function sizeOf(entry: Entry | undefined): number {
  return entry === undefined ? 0 : entry.sample.headers.length + entry.sample.payload.length;
}
