/** What a logger has recorded, as the writers of the formats read it. Times are nanoseconds since 1970. */

/** One message of a topic. */
export interface Sample {
  /** By the clock of the publisher's host. */
  readonly received: bigint;
  /** When it was published; null: the publisher did not say. */
  readonly published: bigint | null;
  /** The publisher's counter; null: it has none. */
  readonly sequence: bigint | null;
  /** Null: only the times were recorded. */
  readonly payload: Uint8Array | null;
}

export interface TopicSamples {
  readonly topic: string;
  /** The publisher's. */
  readonly host: string;
  /** Text of the message definition; empty: there is none. */
  readonly definition: string;
  readonly definitionName: string;
  readonly encoding: "cdr" | "json" | "raw";
  readonly count: number;
  readonly only_ts: boolean;
  /** Samples that should be there and are not. */
  readonly missed: number;
  /** Oldest first, `count` of them. May be called several times, one after the other, and gives the same samples each time. */
  samples(): AsyncIterable<Sample>;
}

export interface LoggerSamples {
  readonly name: string;
  readonly topics: readonly TopicSamples[];
}

/** What a writer of a format may be given. */
export interface WriteOptions {
  /** Called now and then: samples read so far, and all that will be read (a format may read a sample several times). */
  readonly onProgress?: (done: number, total: number) => void;
  /** Ends the writing with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Writes one file. Throws `too_large` for what the format cannot hold. The file is the caller's to remove, after an error too. */
export type FormatWriter = (logger: LoggerSamples, path: string, options?: WriteOptions) => Promise<void>;
