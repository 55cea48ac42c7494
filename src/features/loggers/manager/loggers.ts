import type { FrameOf } from "../../../protocol/frames/frames.ts";
import type { DownloadedFile } from "../../recordings/manager/index.ts";
import type { DaemonLogger } from "../wire.ts";

export type LoggerConfiguration = Pick<FrameOf<"configure_logger">, "only_ts" | "topics">;

export const DOWNLOAD_FORMATS = ["pickle", "matlab", "raw", "mcap", "csv"] as const;
export type DownloadFormat = (typeof DOWNLOAD_FORMATS)[number];

export interface DownloadRequest {
  readonly name: string;
  readonly format: DownloadFormat;
  /** Stops the logger first, so that no sample is newer. */
  readonly stop: boolean;
  /** csv: marks text as text if a spreadsheet would read it as a formula. */
  readonly forSpreadsheets: boolean;
  /** Aborts the collection, and removes its files. */
  readonly signal: AbortSignal;
}

/**
 * Loggers: the last samples of topics, in the memory of the hosts that publish them. Rejections are MgrError: `not_found`, `conflict`, `bad_field`,
 * `host_unavailable`, `busy`, with a message that says what to do.
 */
export interface Loggers {
  list(): DaemonLogger[];
  /** Creates or changes a logger. Rejects with `conflict` while it records or is downloaded. */
  configure(name: string, configuration: LoggerConfiguration, by: string): Promise<void>;
  start(name: string, by: string): Promise<void>;
  /** Resolves when the last sample was kept. */
  stop(name: string, by: string): Promise<void>;
  remove(name: string, by: string): Promise<void>;
  /** Resolves when the file is complete. Rejects with `too_large` if the format cannot hold the samples. */
  download(request: DownloadRequest, by: string): Promise<DownloadedFile>;
}
