/** Options of `mgr up`. */
export interface UpFlags {
  config?: string;
  trustConfig?: boolean;
  profile?: string[];
  detach?: boolean;
  all?: boolean;
  keep?: boolean;
  abortOnFailure?: boolean;
  exitWith?: string;
  /** Whether output is printed; false with `--no-output`. */
  output: boolean;
}
