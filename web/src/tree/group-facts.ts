import { computed, type ReadonlySignal } from "@preact/signals";
import { isFine, type ShownState, shownGroupState } from "../../../src/client/shown/shown-state.ts";
import type { GroupNode, Process } from "../../../src/protocol/resources/resources.ts";
import { processesOf } from "../actions/actions.ts";
import { markOf } from "../actions/process-marks.ts";
import { attentionOf, needsAttention } from "../state/attention.ts";

/** What a row shows of its processes. */
export interface RowFacts {
  readonly state: ShownState | undefined;
  readonly count: number;
  /** Number of processes that run or have completed. */
  readonly fine: number;
  /** Whether any runs or is about to. */
  readonly isRunning: boolean;
  /** Whether any is shown as it was before its host was lost. */
  readonly isOld: boolean;
  /** What needs attention; null: nothing does. */
  readonly notice: string | null;
}

export function factsOf(members: readonly Process[]): RowFacts {
  const noticed = members.filter(({ name }) => needsAttention(name));
  return {
    state: members.length === 0 ? undefined : shownGroupState(members),
    count: members.length,
    fine: members.filter(isFine).length,
    isRunning: members.some((one) => one.state !== "stopped" && one.state !== "error"),
    isOld: members.some((one) => !one.host_ready),
    notice: noticed.length === 0 ? null : noticeOf(noticed),
  };
}

/** Kept until a member changes: a group of thousands is drawn with each step of scrolling and each key in the filter. */
export const groupFacts = keptFor((node) => factsOf(processesOf(node)));

/** The mark of the first process of a group that has one; null: none has. */
export const groupMark = keptFor((node) => firstMark(processesOf(node)));

export function firstMark(members: readonly Process[]): string | null {
  for (const { name } of members) {
    const mark = markOf(name);
    if (mark !== null) return mark;
  }
  return null;
}

/** The reasons of one process, or the number of processes. */
function noticeOf([first, ...others]: readonly { name: string }[]): string {
  if (first === undefined || others.length > 0) return `${others.length + 1} processes need attention`;
  return attentionOf(first.name)
    .map(({ text }) => text)
    .join("; ");
}

function keptFor<T>(compute: (node: GroupNode) => T): (node: GroupNode) => T {
  const known = new WeakMap<GroupNode, ReadonlySignal<T>>();
  return (node) => {
    const own = known.get(node) ?? computed(() => compute(node));
    known.set(node, own);
    return own.value;
  };
}
