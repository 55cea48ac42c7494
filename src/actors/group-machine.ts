/**
 * The statechart of one group. The sender of a command has already sent it to the group's members, in the same turn: an actor does not run
 * within another actor's step. `starting` and `stopping` last until each member has reached its goal or can no longer reach it: with a
 * readiness check, `started` is not the goal yet, and a member in backoff tries again.
 *
 *   idle, starting, stopping  start, restart  → starting
 *   idle, starting, stopping  stop            → stopping
 *   starting, stopping        all settled     → idle
 */

import type { ActorRefFrom, SnapshotFrom } from "xstate";
import { assign, enqueueActions, setup } from "xstate";
import { UP_STATES } from "../protocol/process/process-state.ts";
import type { ProcessState } from "../protocol/resources/resources.ts";

export interface GroupMember {
  readonly name: string;
  readonly state: ProcessState;
  readonly has_ready_state: boolean;
}

export interface GroupInput {
  readonly name: string;
  /** The processes below the group at this moment, in configuration order. */
  readonly members: () => readonly GroupMember[];
}

export type GroupEvent =
  /** This command was sent to all members. */
  | { type: "start" | "stop" | "restart" }
  /** A member's state changed, or a member appeared. */
  | ({ type: "member" } & GroupMember)
  | { type: "removed"; name: string };

type Progress = "starting" | "stopping";

export type GroupEmitted =
  /** The group's current operation, null when all members have settled or another command was given. */
  | { type: "changed"; progress: Progress | null; pending: number }
  /** Every member has reached its goal, or can no longer reach it. */
  | { type: "settled"; after: Progress };

export interface GroupContext extends GroupInput {
  /** Members of the running command that have not settled. */
  readonly pending: Set<string>;
}

const UNSETTLED: Record<Progress, ReadonlySet<ProcessState>> = {
  starting: new Set(["waiting", "starting", "stopping", "backoff"]),
  stopping: new Set(["waiting", ...UP_STATES, "backoff"]),
};

function isUnsettled(progress: Progress, { state, has_ready_state }: GroupMember): boolean {
  return UNSETTLED[progress].has(state) || (progress === "starting" && state === "started" && has_ready_state);
}

/** Whether the group's command waits for `member` and has to receive its state: with thousands of members, most changes concern no group. */
export function awaits({ context, value }: Pick<GroupSnapshot, "context" | "value">, member: GroupMember): boolean {
  return value !== "idle" && context.pending.has(member.name) && !isUnsettled(value, member);
}

export const groupMachine = setup({
  types: { context: {} as GroupContext, events: {} as GroupEvent, emitted: {} as GroupEmitted, input: {} as GroupInput },
  guards: { settled: ({ context }) => context.pending.size === 0 },
  actions: {
    watchMembers: assign(({ context }, { progress }: { progress: Progress }) => ({
      pending: new Set(
        context
          .members()
          .filter((member) => isUnsettled(progress, member))
          .map((member) => member.name),
      ),
    })),
    // Changed in place: copying it for each of 10,000 members would take 10^8 steps.
    noteMember: ({ context, event }, { progress }: { progress: Progress }) => {
      if (event.type === "removed" || (event.type === "member" && !isUnsettled(progress, event))) context.pending.delete(event.name);
    },
    announce: enqueueActions(({ context, enqueue }, { progress }: { progress: Progress | null }) =>
      enqueue.emit({ type: "changed", progress, pending: context.pending.size }),
    ),
    announceSettled: enqueueActions(({ enqueue }, { after }: { after: Progress }) => enqueue.emit({ type: "settled", after })),
  },
}).createMachine({
  id: "group",
  context: ({ input }) => ({ ...input, pending: new Set<string>() }),
  initial: "idle",
  on: {
    start: { target: ".starting", reenter: true },
    restart: { target: ".starting", reenter: true },
    stop: { target: ".stopping", reenter: true },
  },
  states: {
    idle: {},
    starting: {
      entry: [
        { type: "watchMembers", params: { progress: "starting" } },
        { type: "announce", params: { progress: "starting" } },
      ],
      exit: { type: "announce", params: { progress: null } },
      always: { guard: "settled", target: "idle", actions: { type: "announceSettled", params: { after: "starting" } } },
      on: {
        member: { actions: { type: "noteMember", params: { progress: "starting" } } },
        removed: { actions: { type: "noteMember", params: { progress: "starting" } } },
      },
    },
    stopping: {
      entry: [
        { type: "watchMembers", params: { progress: "stopping" } },
        { type: "announce", params: { progress: "stopping" } },
      ],
      exit: { type: "announce", params: { progress: null } },
      always: { guard: "settled", target: "idle", actions: { type: "announceSettled", params: { after: "stopping" } } },
      on: {
        member: { actions: { type: "noteMember", params: { progress: "stopping" } } },
        removed: { actions: { type: "noteMember", params: { progress: "stopping" } } },
      },
    },
  },
});

export type GroupActor = ActorRefFrom<typeof groupMachine>;
export type GroupSnapshot = SnapshotFrom<typeof groupMachine>;
