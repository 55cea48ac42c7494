import { signal } from "@preact/signals";

/** Why a process needs attention although its state is good, as a feature sees it. */
export interface AttentionReason {
  readonly text: string;
  /** Acknowledges the reason, which then is no longer there. */
  readonly dismiss: () => void;
  /** Why the user may not dismiss it, as a sentence; null: the user may. */
  readonly forbidden: string | null;
}

/** The reasons of a process. It reads signals, so that readers are notified when they change. */
type AttentionSource = (name: string) => readonly AttentionReason[];

const sources = signal<readonly AttentionSource[]>([]);

/** Adds reasons of a feature: the overview, the tree and the view of a process show them. */
export function addAttentionSource(source: AttentionSource): void {
  sources.value = [...sources.peek(), source];
}

export function attentionOf(name: string): readonly AttentionReason[] {
  return sources.value.flatMap((source) => source(name));
}

export const needsAttention = (name: string): boolean => sources.value.some((source) => source(name).length > 0);
