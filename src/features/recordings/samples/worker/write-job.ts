import type { SampleFormat } from "../formats/formats.ts";
import type { SpooledSamples } from "./spooled-samples.ts";

/** A job of the worker thread. Plain data. */
export interface WriteJob {
  /** Name of the logger. */
  readonly name: string;
  readonly format: SampleFormat | "mcap";
  readonly forSpreadsheets: boolean;
  /** Path of the file to write. */
  readonly path: string;
  readonly topics: readonly SpooledSamples[];
}

export interface WriteResult {
  /** Null: the file is complete. */
  readonly error: { readonly isOwn: boolean; readonly code: string; readonly message: string } | null;
}
