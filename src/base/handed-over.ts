/** What a part of the daemon hands to the program that replaces it. */
export interface HandedOver {
  /** JSON, at most some MB. */
  readonly state: unknown;
  /** Open descriptors by name; they stay open over the exec (FD_CLOEXEC cleared) and keep their numbers. */
  readonly descriptors: Readonly<Record<string, number>>;
  /** Large bytes by name: copied into the memfd after the state. */
  readonly bytes: Readonly<Record<string, Uint8Array>>;
}
