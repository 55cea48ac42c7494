/** What the help of a command says beyond its options. */
export interface Page {
  /** What the one line of the list does not say. */
  readonly about: string;
  /** A command line, and what it is for. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
  /** What `--json` prints. */
  readonly json?: string;
  /** Exit codes beyond the common ones. */
  readonly exitCodes?: string;
}
