interface Wanted {
  /** A process or a group; the empty group is all processes. */
  readonly target: { readonly name: string } | { readonly group: string };
  /** With colours and all other control sequences. */
  readonly raw?: boolean;
  /** The number of a run, or 0 for the newest; omitted: all output. */
  readonly run?: number;
  /** Only the last lines. */
  readonly lines?: number;
}

/** The address of output, for downloads (docs/output.md, "Download"). */
export function outputAddress({ target, raw = false, run, lines }: Wanted): string {
  const query = new URLSearchParams({ ...target });
  if (raw) query.set("format", "raw");
  if (run !== undefined) query.set("run", String(run));
  if (lines !== undefined) query.set("lines", String(lines));
  return `/mgr/output?${query}`;
}
