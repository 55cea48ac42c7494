/** Result of one attempt, in words without secrets. */
export type Outcome =
  | { readonly kind: "sent"; readonly text: string }
  /** It is tried again: after `afterMs` at the earliest, if the receiver said so. */
  | { readonly kind: "again"; readonly text: string; readonly afterMs?: number }
  /** The receiver refused it for good. */
  | { readonly kind: "refused"; readonly text: string };
