import type { ClockOffset } from "../../../host-clocks/clock-drift.ts";

/**
 * Name of the metadata records that say how far the clock of the host is from that of the manager. A record is about the messages around it: those after
 * it have the clock as it was set then.
 */
export const CLOCK = "mgr.clock";

/** State of the clock at one place of a file. All in nanoseconds. */
export interface ClockRecord {
  /** Offset of the record in the file, bytes. */
  readonly position: number;
  /** Null: the manager had not measured it. */
  readonly known: (ClockOffset & { readonly at: bigint }) | null;
  /** Step by which the clock was set just before. */
  readonly step: bigint;
}

/** Values of a record. `at` is by the clock of the host, since 1970. */
export function clockValues(known: (ClockOffset & { readonly at: bigint }) | null, step: bigint): Record<string, string> {
  return {
    offset_ns: known === null ? "" : String(known.offset),
    uncertainty_ns: known === null ? "" : String(known.uncertainty),
    at_ns: known === null ? "" : String(known.at),
    step_ns: String(step),
  };
}

/** A record of a file; null: it is malformed. */
export function clockRecord(position: number, values: ReadonlyMap<string, string>): ClockRecord | null {
  const [offset, uncertainty, at, step] = ["offset_ns", "uncertainty_ns", "at_ns", "step_ns"].map((name) => numberIn(values.get(name)));
  if (step === null || step === undefined) return null;
  const known = offset == null || uncertainty == null || at == null || uncertainty < 0n ? null : { offset, uncertainty, at };
  return { position, known, step };
}

function numberIn(text: string | undefined): bigint | null {
  return text !== undefined && /^-?\d{1,20}$/.test(text) ? BigInt(text) : null;
}
