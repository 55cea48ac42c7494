import type { SampleFormat } from "../formats/formats.ts";
import type { SpooledSamples } from "./spooled-samples.ts";

/** What the worker thread is to write. Plain data. */
export interface WriteJob {
  /** The logger's. */
  readonly name: string;
  readonly format: SampleFormat | "mcap";
  readonly forSpreadsheets: boolean;
  /** The file that is written. */
  readonly path: string;
  readonly topics: readonly SpooledSamples[];
}

export interface WriteResult {
  /** Null: the file is complete. */
  readonly error: { readonly isOwn: boolean; readonly code: string; readonly message: string } | null;
}
