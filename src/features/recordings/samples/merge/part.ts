/** A file whose messages go into the merged one. Plain data. Times are nanoseconds since 1970, as text. */
export interface MergedPart {
  readonly path: string;
  /** Host of the channels that name none themselves; null: all do. */
  readonly host: string | null;
  /** Clock of the part's host minus the clock of the merged file, nanoseconds: subtracted from all times. Null: the file says it itself. */
  readonly offset: string | null;
  /** Ranges of times, by the clock of its host and with both ends, which other parts have already. */
  readonly excluded: readonly { readonly from: string; readonly until: string }[];
}

/** Plain data. */
export interface MergedRecording {
  readonly name: string;
  /** Names of the files, in the order of the parts. */
  readonly files: readonly string[];
}
