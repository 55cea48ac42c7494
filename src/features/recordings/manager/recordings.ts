import type { FrameOf } from "../../../protocol/frames/frames.ts";
import type { Recording } from "../wire.ts";
import type { DownloadedFile } from "./downloads.ts";

/** A request to record. Omitted fields are taken from the configuration. */
export type RecordingRequest = Omit<FrameOf<"start_recording">, "type" | "request_id">;

/** A file of a recording on its host. It may grow. */
export interface RecordedFileReader {
  /** Present size in bytes. */
  readonly size: number;
  /** Reads at most `max` bytes from `from` on; fewer at the end of the file. */
  read(from: number, max: number): Promise<Uint8Array>;
}

/** Recordings on all hosts. Rejections are MgrError `not_found`, `conflict` or `host_unavailable`, with a message that says what to do. */
export interface Recordings {
  list(): Recording[];
  /** Resolves when at least one host records. */
  start(request: RecordingRequest, by: string): Promise<void>;
  /** Resolves when the files are complete. */
  stop(name: string, by: string): Promise<void>;
  remove(name: string, file: { host?: string; file: string } | null, by: string): Promise<void>;
  open(name: string, host: string, file: string): Promise<RecordedFileReader>;
  /** Resolves with one file of all files of all hosts when it is complete; of a growing one it has what is on the disk. Rejects also with `busy`. */
  merge(name: string, signal: AbortSignal): Promise<DownloadedFile>;
}
