/**
 * The statechart of one group. Whoever commands it has told its members before, in the same turn: one actor does not
 * act within another's step. `starting` and `stopping` last until each of them has reached its goal or can no longer.
 *
 *   idle, starting, stopping  start, restart  → starting
 *   idle, starting, stopping  stop            → stopping
 *   starting, stopping        all settled     → idle
 */
import type { ActorRefFrom } from "xstate";
import { assign, enqueueActions, setup } from "xstate";
import type { ProcessState } from "../protocol/resources.ts";

export interface GroupMember {
  readonly name: string;
  readonly state: ProcessState;
}

export interface GroupInput {
  readonly name: string;
  /** The processes below the group at this moment, in configuration order. */
  readonly members: () => readonly GroupMember[];
}

export type GroupEvent =
  /** This was asked of all members. */
  | { type: "start" | "stop" | "restart" }
  /** A member's state changed, a member appeared (`state` its first) or was removed (null). */
  | { type: "member"; name: string; state: ProcessState | null };

/** `progress`: what the group is busy with, null when all members have settled. */
export type GroupEmitted = { type: "changed"; progress: "starting" | "stopping" | null; pending: number };

export interface GroupContext extends GroupInput {
  /** Members of the running command that have not settled. */
  readonly pending: Set<string>;
}

const UNSETTLED: Record<"starting" | "stopping", ReadonlySet<ProcessState>> = {
  starting: new Set(["waiting", "starting", "stopping"]),
  stopping: new Set(["waiting", "starting", "started", "ready", "stopping", "backoff"]),
};

export const groupMachine = setup({
  types: { context: {} as GroupContext, events: {} as GroupEvent, emitted: {} as GroupEmitted, input: {} as GroupInput },
  guards: { settled: ({ context }) => context.pending.size === 0 },
  actions: {
    watchMembers: assign(({ context }, { progress }: { progress: "starting" | "stopping" }) => ({
      pending: new Set(
        context
          .members()
          .filter((member) => UNSETTLED[progress].has(member.state))
          .map((member) => member.name),
      ),
    })),
    // In place: a copy for each of 10,000 members would be 10^8 steps.
    noteMember: ({ context, event }, { progress }: { progress: "starting" | "stopping" }) => {
      if (event.type !== "member" || (event.state !== null && UNSETTLED[progress].has(event.state))) return;
      context.pending.delete(event.name);
    },
    announce: enqueueActions(({ context, enqueue }, { progress }: { progress: "starting" | "stopping" | null }) =>
      enqueue.emit({ type: "changed", progress, pending: context.pending.size }),
    ),
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
      always: { guard: "settled", target: "idle" },
      on: { member: { actions: { type: "noteMember", params: { progress: "starting" } } } },
    },
    stopping: {
      entry: [
        { type: "watchMembers", params: { progress: "stopping" } },
        { type: "announce", params: { progress: "stopping" } },
      ],
      exit: { type: "announce", params: { progress: null } },
      always: { guard: "settled", target: "idle" },
      on: { member: { actions: { type: "noteMember", params: { progress: "stopping" } } } },
    },
  },
});

export type GroupActor = ActorRefFrom<typeof groupMachine>;
