import type { FrameOf } from "../../../protocol/frames/frames.ts";
import type { DaemonLogger } from "../wire.ts";

export type LoggerConfiguration = Pick<FrameOf<"configure_logger">, "only_ts" | "topics">;

export const DOWNLOAD_FORMATS = ["pickle", "matlab", "raw", "mcap", "csv"] as const;
export type DownloadFormat = (typeof DOWNLOAD_FORMATS)[number];

export interface DownloadRequest {
  readonly name: string;
  readonly format: DownloadFormat;
  /** The logger is stopped before: no sample is newer than that. */
  readonly stop: boolean;
  /** csv: text that a spreadsheet would take for a formula is marked as text. */
  readonly forSpreadsheets: boolean;
  /** Ends the collection, and removes what it wrote. */
  readonly signal: AbortSignal;
}

/** A file with what a logger has kept. It exists until `close`. */
export interface DownloadedFile {
  /** Bytes. */
  readonly size: number;
  read(from: number, max: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/**
 * Loggers: the last samples of topics, in the memory of the hosts that publish them. Rejections are MgrError: `not_found`, `conflict`,
 * `bad_field`, `host_unavailable`, `busy`, with a sentence that says what to do.
 */
export interface Loggers {
  list(): DaemonLogger[];
  /** Makes or changes it. `conflict` while it records or is downloaded. */
  configure(name: string, configuration: LoggerConfiguration, by: string): Promise<void>;
  start(name: string, by: string): Promise<void>;
  /** Resolves when the last sample is taken. */
  stop(name: string, by: string): Promise<void>;
  remove(name: string, by: string): Promise<void>;
  /** Resolves when the file is complete. `too_large` for what the format cannot hold. */
  download(request: DownloadRequest, by: string): Promise<DownloadedFile>;
}
