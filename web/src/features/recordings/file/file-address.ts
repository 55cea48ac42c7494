/** A file of a recording, on its host. */
export interface FilePlace {
  readonly recording: string;
  readonly host: string;
  readonly file: string;
}

/** The address where the manager serves the file, whole or in ranges. */
export function fileAddress({ recording, host, file }: FilePlace): string {
  return `/mgr/recording?${new URLSearchParams({ name: recording, host, file })}`;
}

/** The address where the manager serves all files of a recording as one. */
export function mergedAddress(recording: string): string {
  return `/mgr/recording?${new URLSearchParams({ name: recording, merge: "1" })}`;
}
