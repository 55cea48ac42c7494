/**
 * The statechart of one host, as the manager sees it.
 *
 *   absent        never seen             heartbeat → greeting
 *   greeting      hello and report       done → ready; failed, or no answer in 30 s → lost
 *   ready         commands are accepted  silence → lost; another session, or another daemon → greeting
 *   lost          silent                 heartbeat → greeting
 *   incompatible  other contract         heartbeat of a supported contract → greeting
 *   died          its daemon is dead     heartbeat of another daemon → greeting
 *
 * Emits `ready`, `lost` and `died`; app passes the last two to the host's processes, and after `ready` its report about each. If a new daemon
 * replaces the previous one, `died` is emitted before `ready`.
 */
import type { ActorRefFrom, SnapshotFrom } from "xstate";
import { assertEvent, assign, enqueueActions, fromPromise, setup } from "xstate";
import { messageOf } from "../base/errors.ts";
import type { HostHeartbeat, ResponseOf } from "../contract/messages.ts";
import { CONTRACT_VERSION } from "../contract/messages.ts";

/** A greeting consists of hello and the whole report: pages of up to 512 KiB, each with its own time-out. */
const GREETING_TIMEOUT_MS = 30_000;

export interface Greeting {
  readonly session: string;
  readonly stream_id: string;
  readonly pid: number;
  /** Version of the daemon's program; null: unknown. */
  readonly version: string | null;
  /** Offset at which the daemon's output begins; null: it keeps no output for its successor. */
  readonly output_from: number | null;
  /** Why the previous daemon's processes ended, if it did not stop them. */
  readonly previous_end: string | null;
  /** The time before in which the host restarted its processes without a manager, by its wall clock; null: none. */
  readonly alone: NonNullable<ResponseOf<"hello">["alone"]> | null;
  /** The host's clock minus the manager's, milliseconds. */
  readonly clock_offset_ms: number;
}

/** Sends hello, and delivers the report of all runs; rejects with `conflict` if the daemon speaks another contract. */
type Greet = (signal: AbortSignal) => Promise<Greeting>;

export type HostMachineEvent =
  | { type: "heartbeat"; heartbeat: HostHeartbeat }
  /** Nothing was heard of the host for HEARTBEAT_LOST_MS. */
  | { type: "silent" }
  /** A command was answered `stale_session`. */
  | { type: "stale" }
  /** The exit of the local daemon was detected. */
  | { type: "daemon.exited" };

export type HostEmitted =
  | { type: "ready"; greeting: Greeting }
  | { type: "lost" }
  | { type: "died" }
  /** The daemon has another contract version. */
  | { type: "incompatible" }
  | { type: "note"; level: "info" | "warning" | "error"; msg: string };

export interface HostContext {
  readonly name: string;
  /** Whether the host is the manager's own machine. */
  readonly isLocal: boolean;
  readonly greet: Greet;
  /** The newest greeting; null before the first and after the daemon's death. */
  readonly greeting: Greeting | null;
  /** The stream_id of a daemon that is known to be dead: its late heartbeats are ignored. */
  readonly dead: string | null;
}

type Level = "info" | "warning" | "error";

export const hostMachine = setup({
  types: {
    context: {} as HostContext,
    events: {} as HostMachineEvent,
    emitted: {} as HostEmitted,
    input: {} as { readonly name: string; readonly isLocal: boolean; readonly greet: Greet },
  },
  actors: {
    // The same for all hosts: a machine of its own would cost 1.5 ms and its statechart for each of them.
    greet: fromPromise<Greeting, Pick<HostContext, "greet">>(({ input, signal }) => input.greet(signal)),
  },
  guards: {
    incompatible: ({ event }) => event.type === "heartbeat" && !isSpoken(event.heartbeat.contract),
    obeysAnother: ({ context, event }) => event.type === "heartbeat" && event.heartbeat.session !== context.greeting?.session,
    isDead: ({ context, event }) => event.type === "heartbeat" && event.heartbeat.stream_id === context.dead,
    known: ({ context }) => context.greeting !== null,
  },
  actions: {
    emitReady: enqueueActions(({ context, enqueue }) => {
      if (context.greeting) enqueue.emit({ type: "ready", greeting: context.greeting });
    }),
    emitLost: enqueueActions(({ enqueue }) => enqueue.emit({ type: "lost" })),
    emitDied: enqueueActions(({ enqueue }) => enqueue.emit({ type: "died" })),
    note: enqueueActions(({ enqueue }, { level, msg }: { level: Level; msg: string }) => enqueue.emit({ type: "note", level, msg })),
    noteContract: enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, "heartbeat");
      const how = context.isLocal
        ? "run 'mgr down', then 'mgr up'"
        : "end it there (SIGTERM stops what it runs), and start one of this version";
      const msg = `its daemon (pid ${event.heartbeat.pid}) speaks contract ${event.heartbeat.contract}, this manager ${CONTRACT_VERSION}: ${how}; nothing was stopped`;
      enqueue.emit({ type: "note", level: "error", msg });
      enqueue.emit({ type: "incompatible" });
    }),
    takeGreeting: enqueueActions(({ context, enqueue }, { greeting }: { greeting: Greeting }) => {
      if (context.greeting && context.greeting.stream_id !== greeting.stream_id) enqueue.emit({ type: "died" });
      enqueue.assign({ greeting });
    }),
    bury: assign(({ context }) => ({ greeting: null, dead: context.greeting?.stream_id ?? null })),
  },
  delays: { greetingTimeout: GREETING_TIMEOUT_MS },
}).createMachine({
  id: "host",
  context: ({ input }) => ({ ...input, greeting: null, dead: null }),
  initial: "absent",
  on: {
    heartbeat: [{ guard: "incompatible", target: ".incompatible" }, { target: ".greeting" }],
    "daemon.exited": [{ guard: "known", target: ".died" }],
  },
  states: {
    absent: {},
    greeting: {
      invoke: {
        src: "greet",
        input: ({ context }) => ({ greet: context.greet }),
        onDone: { target: "ready", actions: { type: "takeGreeting", params: ({ event }) => ({ greeting: event.output }) } },
        onError: {
          target: "lost",
          actions: {
            type: "note",
            params: ({ event }) => ({
              level: "warning" as const,
              msg: `no session could be opened; the next heartbeat tries again: ${messageOf(event.error)}`,
            }),
          },
        },
      },
      after: {
        greetingTimeout: {
          target: "lost",
          actions: { type: "note", params: { level: "warning", msg: "it did not answer the request for a session" } },
        },
      },
      on: { heartbeat: {}, silent: "lost" },
    },
    ready: {
      entry: "emitReady",
      exit: "emitLost",
      on: {
        heartbeat: [{ guard: "incompatible", target: "incompatible" }, { guard: "obeysAnother", target: "greeting" }, {}],
        silent: "lost",
        stale: "greeting",
      },
    },
    lost: {},
    incompatible: {
      entry: "noteContract",
      on: { heartbeat: [{ guard: "incompatible" }, { target: "greeting" }] },
    },
    died: {
      entry: ["emitDied", "bury"],
      on: {
        heartbeat: [{ guard: "isDead" }, { guard: "incompatible", target: "incompatible" }, { target: "greeting" }],
        "daemon.exited": {},
      },
    },
  },
});

/** Whether the heartbeat of a host that is ready changes nothing: it is in the same session, in a contract that the manager speaks. */
export function isRoutine(host: SnapshotFrom<typeof hostMachine>, { session, contract }: HostHeartbeat): boolean {
  return host.matches("ready") && session === host.context.greeting?.session && isSpoken(contract);
}

/** Whether the manager speaks this contract version: its own or the one before. */
function isSpoken(contract: number): boolean {
  return contract === CONTRACT_VERSION || contract === CONTRACT_VERSION - 1;
}

export type HostActor = ActorRefFrom<typeof hostMachine>;
