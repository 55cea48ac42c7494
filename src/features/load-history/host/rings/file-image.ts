import { decodeHeader, encodeHeader, type Header } from "./header.ts";
import { fileBytes, type Layout, LONG, PERIODS_MS, type RingNumber, SHORT, slotOffset } from "./layout.ts";
import { Slots } from "./slot.ts";
import { SlotSummary } from "./slot-summary.ts";

const SLOTS_PER_LONG = PERIODS_MS[LONG] / PERIODS_MS[SHORT];

/** A whole file in memory: what is done when it is opened, and when its rings get another length. */
export class FileImage {
  readonly header: Header;
  readonly bytes: ArrayBuffer;
  /** It was made without slots. */
  readonly isEmpty: boolean;

  /** Null: this is no file of load history, or its header is damaged. Bytes that are missing at its end are empty slots. */
  static read(bytes: ArrayBuffer): FileImage | null {
    const header = decodeHeader(bytes);
    if (header === null) return null;
    const whole = new ArrayBuffer(fileBytes(header.layout));
    new Uint8Array(whole).set(new Uint8Array(bytes).subarray(0, whole.byteLength));
    return new FileImage(header, whole, false);
  }

  static empty(header: Header): FileImage {
    const bytes = new ArrayBuffer(fileBytes(header.layout));
    new Uint8Array(bytes).set(encodeHeader(header));
    return new FileImage(header, bytes, true);
  }

  private constructor(header: Header, bytes: ArrayBuffer, isEmpty: boolean) {
    this.isEmpty = isEmpty;
    this.header = header;
    this.bytes = bytes;
  }

  ring(ring: RingNumber): Slots {
    const { layout } = this.header;
    return new Slots(layout.series, this.bytes, slotOffset(layout, ring, 0), layout.slots[ring]);
  }

  /** Numbers of the slots of a ring that are there, ascending. */
  numbers(ring: RingNumber): number[] {
    const slots = this.ring(ring);
    const numbers: number[] = [];
    for (let place = 0; place < slots.count; place++) {
      const number = slots.numberAt(place);
      if (number !== 0) numbers.push(number);
    }
    return numbers.sort((a, b) => a - b);
  }

  /** The same file with rings of another length: of what does not fit the oldest is left out. */
  resized(layout: Layout): FileImage {
    const image = new FileImage({ ...this.header, layout }, FileImage.empty({ ...this.header, layout }).bytes, false);
    for (const ring of [SHORT, LONG] as const) {
      const from = this.ring(ring);
      const to = image.ring(ring);
      const length = layout.slots[ring];
      for (const number of this.numbers(ring).slice(-length)) {
        if (number <= (this.newest(ring) ?? 0) - length) continue;
        to.put(number % length, number, from.figuresAt(number % from.count));
      }
    }
    return image;
  }

  newest(ring: RingNumber): number | null {
    return this.numbers(ring).at(-1) ?? null;
  }

  /** Long slots before `until` that are missing although their short ones are there: their daemon ended before it wrote them. */
  missingLong(until: number): Map<number, Float32Array> {
    const there = new Set(this.numbers(LONG));
    const missing = new Map<number, SlotSummary>();
    const short = this.ring(SHORT);
    for (const number of this.numbers(SHORT)) {
      const long = Math.floor(number / SLOTS_PER_LONG);
      if (there.has(long) || long >= until) continue;
      const summary = missing.get(long) ?? new SlotSummary(this.header.layout.series, long);
      summary.addSlot(short.figuresAt(number % short.count), PERIODS_MS[SHORT]);
      missing.set(long, summary);
    }
    return new Map([...missing].map(([long, summary]) => [long, summary.figures()]));
  }
}

/** Short slots of a long one: from (included), until (excluded). */
export const shortSlotsOf = (long: number): { from: number; until: number } => ({
  from: long * SLOTS_PER_LONG,
  until: (long + 1) * SLOTS_PER_LONG,
});
