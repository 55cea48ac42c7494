import type { TopicEncoding } from "../../../base/topics/topic-encodings.ts";

/** The samples of a logger, as the writers of the formats read them. Times are nanoseconds since 1970. */

/** One message of a topic. */
export interface Sample {
  /** Time of arrival, by the clock of the publisher's host. */
  readonly received: bigint;
  /** Time of publication; null: the publisher did not send it. */
  readonly published: bigint | null;
  /** The publisher's counter; null: it has none. */
  readonly sequence: bigint | null;
  /** Null: only the times were recorded. */
  readonly payload: Uint8Array | null;
}

export interface TopicSamples {
  readonly topic: string;
  /** The publisher's host. */
  readonly host: string;
  /** Text of the message definition; empty: there is none. */
  readonly definition: string;
  readonly definitionName: string;
  readonly encoding: TopicEncoding;
  readonly count: number;
  readonly only_ts: boolean;
  /** Number of samples that were lost. */
  readonly missed: number;
  /** The samples, oldest first, `count` of them. May be called several times, one after the other, and returns the same samples each time. */
  samples(): AsyncIterable<Sample>;
}

export interface LoggerSamples {
  readonly name: string;
  readonly topics: readonly TopicSamples[];
}

/** Options of a writer of a format. */
export interface WriteOptions {
  /** csv: puts an apostrophe before text that a spreadsheet would read as a formula. */
  readonly forSpreadsheets?: boolean;
  /** Called periodically with the number of samples read so far, and of all that will be read. A format may read a sample several times. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Aborts the writing with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Writes one file. Throws `too_large` if the format cannot contain the samples. The caller removes the file, also after an error. */
export type FormatWriter = (logger: LoggerSamples, path: string, options?: WriteOptions) => Promise<void>;
