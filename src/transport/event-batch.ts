/** An encoded event; a newer one with the same `mergeKey` replaces it when the reader is slow. */
export interface EncodedFrame {
  readonly bytes: Buffer;
  readonly mergeKey: string | null;
}

/** Events that follow each other. Connections that have read equally far get the same object, and can share what is written. */
export interface EventBatch {
  readonly frames: readonly EncodedFrame[];
  /** Bytes of all frames. */
  readonly bytes: number;
}

/** Position of one connection in the events of its audience. */
export interface ReadPosition {
  /** The events since the last call; null: there are none. */
  take(): EventBatch | null;
  leave(): void;
}
