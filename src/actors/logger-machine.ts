/**
 * The statechart of one logger, on all hosts together. An unreachable host gets the settings when it is back, and delays nothing.
 *
 *   idle         nothing is recorded         start, configure → configuring; collect → collecting
 *   configuring  hosts get the settings      done → recording or idle; every host refuses → error
 *   recording                                stop → stopping; configure → configuring; collect → collecting
 *   stopping     hosts take the last sample  done → idle; failed → error
 *   collecting   downloads read the rings    the last one ends → recording or idle; stop → stopping
 *   error        `problem` has the reason    start, configure → configuring; stop → stopping
 *
 * Downloads continue while it is configuring or stopping; after that it is collecting again.
 */
import type { ActorRefFrom } from "xstate";
import { assign, fromPromise, setup } from "xstate";
import { MgrError, messageOf } from "../base/errors.ts";

export type LoggerMachineEvent =
  | { type: "start" }
  | { type: "stop" }
  /** The data that it records have changed. */
  | { type: "configure"; isStarted: boolean }
  /** A download begins, or ends. */
  | { type: "collect" }
  | { type: "collected" };

interface LoggerContext {
  readonly name: string;
  readonly isStarted: boolean;
  readonly downloads: number;
  readonly problem: string | null;
}

interface Told {
  readonly name: string;
  readonly isStarted: boolean;
}

const fail = { type: "fail", params: ({ event }: { event: { error: unknown } }) => ({ error: event.error }) } as const;

export const loggerMachine = setup({
  types: {
    context: {} as LoggerContext,
    events: {} as LoggerMachineEvent,
    input: {} as { readonly name: string },
  },
  actors: {
    /** Resolves when the reachable hosts have applied the logger's settings. */
    tell: fromPromise<void, Told>(() => Promise.reject(new MgrError("internal", "effect 'tell' is not provided"))),
  },
  guards: {
    isCollecting: ({ context }) => context.downloads > 0,
    isLast: ({ context }) => context.downloads <= 1,
    isLastOfStarted: ({ context }) => context.downloads <= 1 && context.isStarted,
    isStarted: ({ context }) => context.isStarted,
  },
  actions: {
    start: assign({ isStarted: true, problem: null }),
    stop: assign({ isStarted: false, problem: null }),
    configure: assign((_, { isStarted }: { isStarted: boolean }) => ({ isStarted, problem: null })),
    more: assign(({ context }) => ({ downloads: context.downloads + 1 })),
    less: assign(({ context }) => ({ downloads: Math.max(0, context.downloads - 1) })),
    fail: assign((_, { error }: { error: unknown }) => ({ problem: messageOf(error) })),
  },
}).createMachine({
  id: "logger",
  context: ({ input }) => ({ ...input, isStarted: false, downloads: 0, problem: null }),
  initial: "idle",
  on: {
    start: { target: ".configuring", actions: "start" },
    configure: { target: ".configuring", actions: { type: "configure", params: ({ event }) => event } },
    collect: { actions: "more" },
    collected: { actions: "less" },
  },
  states: {
    idle: { on: { collect: { target: "collecting", actions: "more" } } },
    configuring: {
      invoke: {
        src: "tell",
        input: ({ context: { name, isStarted } }) => ({ name, isStarted }),
        onDone: [{ guard: "isCollecting", target: "collecting" }, { guard: "isStarted", target: "recording" }, { target: "idle" }],
        onError: { target: "error", actions: fail },
      },
      on: { stop: { target: "stopping", actions: "stop" } },
    },
    recording: {
      on: {
        start: {},
        stop: { target: "stopping", actions: "stop" },
        collect: { target: "collecting", actions: "more" },
      },
    },
    stopping: {
      invoke: {
        src: "tell",
        input: ({ context: { name } }) => ({ name, isStarted: false }),
        onDone: [{ guard: "isCollecting", target: "collecting" }, { target: "idle" }],
        onError: { target: "error", actions: fail },
      },
    },
    collecting: {
      on: {
        stop: { target: "stopping", actions: "stop" },
        collected: [
          { guard: "isLastOfStarted", target: "recording", actions: "less" },
          { guard: "isLast", target: "idle", actions: "less" },
          { actions: "less" },
        ],
      },
    },
    error: { on: { stop: { target: "stopping", actions: "stop" } } },
  },
});

export type LoggerActor = ActorRefFrom<typeof loggerMachine>;
