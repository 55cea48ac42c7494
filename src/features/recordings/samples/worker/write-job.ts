import type { SampleFormat } from "../formats/formats.ts";
import type { Merged, MergeJob } from "../merge/merge.ts";
import type { SpooledSamples } from "./spooled-samples.ts";

/** A download of samples that the worker thread writes. Plain data. */
export interface WriteJob {
  /** Name of the logger. */
  readonly name: string;
  readonly format: SampleFormat | "mcap";
  readonly forSpreadsheets: boolean;
  /** Path of the file to write. */
  readonly path: string;
  readonly topics: readonly SpooledSamples[];
}

export type WorkerJob = { readonly kind: "write"; readonly job: WriteJob } | { readonly kind: "merge"; readonly job: MergeJob };

export interface WorkerResult {
  /** Null: the file is complete. */
  readonly error: { readonly isOwn: boolean; readonly code: string; readonly message: string } | null;
  /** Of a merge; else null. */
  readonly merged: Merged | null;
}
