/**
 * Rows of the tables that this manager has no part for yet. The list shrinks to nothing: the end-to-end contract test
 * fails when a row stands here and works, and when a row works not and does not stand here.
 */
export interface NotYetRow {
  readonly kind: "manager frame" | "resource" | "route";
  readonly name: string;
}

const rows = (kind: NotYetRow["kind"], names: readonly string[]): NotYetRow[] => names.map((name) => ({ kind, name }));

export const NOT_YET: readonly NotYetRow[] = [
  // Never sent.
  ...rows("manager frame", ["web_x_display_used"]),
  // Answered by 404.
];

export const isNotYet = (kind: NotYetRow["kind"], name: string): boolean => NOT_YET.some((row) => row.kind === kind && row.name === name);
