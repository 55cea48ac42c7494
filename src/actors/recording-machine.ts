/**
 * The statechart of one recording, on all hosts together.
 *
 *   idle       nothing is written      start → starting; a host records it → recording (it outlived a manager)
 *   starting   hosts get the settings  one records → recording; none → error
 *   recording                          stop → stopping; no host records it any more → idle, or error with the reason
 *   stopping   files are completed     done → idle; failed → error
 *   error      `problem`: the reason   start → starting; a host records it → recording; stop → stopping
 */
import type { ActorRefFrom } from "xstate";
import { assign, fromPromise, setup } from "xstate";
import { MgrError, messageOf } from "../base/errors.ts";

/** The settings of a started recording, which the statechart only passes on. */
export interface StartedRecording {
  readonly name: string;
}

export type RecordingMachineEvent =
  | { type: "start"; spec: StartedRecording }
  | { type: "stop" }
  /** The combined reports of all hosts. */
  | { type: "reported"; isRecording: boolean; problem: string | null };

export interface RecordingContext {
  readonly name: string;
  /** Settings of the last start; null: a host recorded it before this manager began. */
  readonly spec: StartedRecording | null;
  readonly problem: string | null;
}

const notProvided = (effect: string) => () => Promise.reject(new MgrError("internal", `effect '${effect}' is not provided`));

export const recordingMachine = setup({
  types: {
    context: {} as RecordingContext,
    events: {} as RecordingMachineEvent,
    input: {} as { readonly name: string },
  },
  actors: {
    /** Resolves when one host records. */
    start: fromPromise<void, { name: string; spec: StartedRecording | null }>(notProvided("start")),
    /** Resolves when all files are complete. */
    stop: fromPromise<void, { name: string }>(notProvided("stop")),
  },
  guards: {
    records: ({ event }) => event.type === "reported" && event.isRecording,
    failed: ({ event }) => event.type === "reported" && !event.isRecording && event.problem !== null,
    ended: ({ event }) => event.type === "reported" && !event.isRecording,
  },
  actions: {
    take: assign(({ context, event }) => ({ spec: event.type === "start" ? event.spec : context.spec, problem: null })),
    takeProblem: assign(({ context, event }) => ({ problem: event.type === "reported" ? event.problem : context.problem })),
    fail: assign((_, { error }: { error: unknown }) => ({ problem: messageOf(error) })),
    clear: assign({ problem: null }),
  },
}).createMachine({
  id: "recording",
  context: ({ input }) => ({ ...input, spec: null, problem: null }),
  initial: "idle",
  states: {
    idle: {
      on: {
        start: { target: "starting", actions: "take" },
        reported: [
          { guard: "records", target: "recording" },
          { guard: "failed", target: "error", actions: "takeProblem" },
        ],
      },
    },
    starting: {
      invoke: {
        src: "start",
        input: ({ context: { name, spec } }) => ({ name, spec }),
        onDone: "recording",
        onError: { target: "error", actions: { type: "fail", params: ({ event }) => ({ error: event.error }) } },
      },
      on: { stop: "stopping" },
    },
    recording: {
      on: {
        stop: "stopping",
        reported: [
          // If one of several hosts has a full disk, the others continue and the problem is shown.
          { guard: "records", actions: "takeProblem" },
          { guard: "failed", target: "error", actions: "takeProblem" },
          { guard: "ended", target: "idle", actions: "clear" },
        ],
      },
    },
    stopping: {
      invoke: {
        src: "stop",
        input: ({ context: { name } }) => ({ name }),
        onDone: { target: "idle", actions: "clear" },
        onError: { target: "error", actions: { type: "fail", params: ({ event }) => ({ error: event.error }) } },
      },
    },
    error: {
      on: {
        start: { target: "starting", actions: "take" },
        stop: "stopping",
        reported: { guard: "records", target: "recording", actions: "clear" },
      },
    },
  },
});

export type RecordingActor = ActorRefFrom<typeof recordingMachine>;
