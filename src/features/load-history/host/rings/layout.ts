import { LONG_SLOT_MS, SAMPLE_MS } from "../../series.ts";

/** The ring of slots of 10 s, and that of slots of 5 minutes. */
export const SHORT = 0;
export const LONG = 1;
export type RingNumber = typeof SHORT | typeof LONG;

/** Period of the slots of each ring, milliseconds. */
export const PERIODS_MS = [SAMPLE_MS, LONG_SLOT_MS] as const;
/** Slots of whole rings: 6 hours, and 30 days. */
const WHOLE_SLOTS = [2_160, 8_640] as const;
/** Each level halves the rings of the one before: at the last one they have 5 minutes and 11 hours. */
export const MAX_LEVEL = 6;
/** Bytes before the first slot of a file: they identify it and hold its name. */
export const HEADER_BYTES = 4_096;

/** Content of a slot, in words of 32 bits: its number, a checksum, and three figures of each series. */
const SLOT_HEAD_WORDS = 2;
export const WORD_BYTES = 4;

/** Places of the slots of two rings. A slot is at the place of its number, modulo the length of its ring. */
export interface Layout {
  readonly series: number;
  /** Slots of each ring. */
  readonly slots: readonly [number, number];
}

/** `level`: how often the rings were halved. */
export function layoutOf(series: number, level: number): Layout {
  return { series, slots: [WHOLE_SLOTS[SHORT] >> level, WHOLE_SLOTS[LONG] >> level] };
}

export const slotWords = ({ series }: Pick<Layout, "series">): number => SLOT_HEAD_WORDS + 3 * series;
export const slotBytes = (layout: Pick<Layout, "series">): number => WORD_BYTES * slotWords(layout);

export const fileBytes = (layout: Layout): number => HEADER_BYTES + slotBytes(layout) * (layout.slots[SHORT] + layout.slots[LONG]);

/** Bytes from the start of a file to the slot of this number. */
export function slotOffset(layout: Layout, ring: RingNumber, number: number): number {
  return HEADER_BYTES + slotBytes(layout) * ((ring === SHORT ? 0 : layout.slots[SHORT]) + (number % layout.slots[ring]));
}

/** Number of the slot that a wall-clock time in milliseconds falls into. */
export const slotNumber = (time: number, periodMs: number): number => Math.floor(time / periodMs);
