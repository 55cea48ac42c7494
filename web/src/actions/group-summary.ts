import type { ComponentType } from "preact";
import type { Process } from "../../../src/protocol/resources/resources.ts";

/** What a feature shows in the tree's row of some groups, in the place of the number of their members. */
export interface GroupSummary {
  /** Whether the group of this name is one of them. Reads signals, so that what draws it is drawn again. */
  readonly applies: (name: string) => boolean;
  /** `members`: the processes of the group, in their order. */
  readonly Summary: ComponentType<{ members: readonly Process[] }>;
}

const summaries: GroupSummary[] = [];

export function addGroupSummary(summary: GroupSummary): void {
  summaries.push(summary);
}

/** The summary of a group; undefined: the number of its members is shown. */
export const summaryOf = (name: string): GroupSummary["Summary"] | undefined => summaries.find(({ applies }) => applies(name))?.Summary;
