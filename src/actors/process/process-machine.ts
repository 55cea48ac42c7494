/**
 * The statechart of one process. Its table is that of docs/design/wire-rules.md, "States and transitions";
 * docs/decisions/0001-process-invariants.md has its invariants.
 *
 *   from                   | event                                  | to
 *   -----------------------|----------------------------------------|------------------------------------------------
 *   unknown                | the host's first report                | a living run is adopted, else launching or stopped; a restart
 *                          |                                        | that an earlier manager accepted is carried out
 *   stopped,error,backoff  | start, restart                         | launching: waiting, or starting if nothing is missing
 *   waiting                | dependencies hold                      | starting
 *   waiting                | a dependency can no longer be met      | error
 *   waiting, backoff       | stop                                   | stopped, at once
 *   stopped, error         | stop                                   | stopped
 *   starting               | (the tree of the run before lives)     | starting, until it is extinct; then launching again
 *   starting               | a dependency is lost before it is sent | launching again
 *   starting               | spawned                                | started
 *   starting               | spawn failed                           | error
 *   any                    | host lost                              | unchanged; an effect under way re-sends its run_id
 *   starting               | stop, restart                          | stopping; an answer that still comes is stopped
 *   started                | ready condition met                    | ready
 *   started                | ready timeout                          | stopping, then backoff or error
 *   started, ready         | start                                  | unchanged
 *   started, ready         | stop, restart                          | stopping, after a restart then launching
 *   started, ready         | liveness failed                        | stopping, then backoff or error
 *   started, ready         | recycle                                | stopping, then backoff, or error in a crash loop
 *   started, ready         | a watched file changed                 | stopping, then launching
 *   started, ready         | ended                                  | stopped, backoff or error, by exit code and policy
 *   stopping               | extinct                                | stopped; launching if a start came meanwhile
 *   stopping               | 10 s after SIGKILL                     | stopping, an error logged each minute
 *   backoff                | delay over                             | launching
 *   started, backoff       | time over, its host is lost            | unchanged until the host reports: it decides meanwhile
 *   any                    | its host restarted it by itself        | adopted with the host's run and counters; in stopping, only
 *                          |                                        | if no stop is requested
 *   starting … stopping    | its daemon died, the run is gone       | error; restart policy once the host is back
 *   at rest                | a living run is reported               | adopted, or stopping if a stop is requested
 *
 * `unknown` shows the state of its input; adopting, launching and judging are passed through at once.
 */
import type { ActorRefFrom, SnapshotFrom } from "xstate";
import { initialContext } from "./process-context.ts";
import { processSetup } from "./process-setup.ts";
import {
  atRest,
  daemonDied,
  giveUp,
  inPlace,
  launch,
  launchAtOnce,
  launchFirst,
  requestRestart,
  restartAlive,
  restartedByHost,
  restartLater,
  running,
  startAfterStop,
  startLater,
  stopAlive,
  whileRunning,
  whileSpawning,
} from "./process-transitions.ts";

export const processMachine = processSetup.createMachine({
  id: "process",
  context: ({ input }) => initialContext(input),
  initial: "unknown",
  on: {
    ...inPlace,
    "run.*": { actions: "takeRun" },
    report: [
      { guard: "runReported", actions: "takeRun" },
      { guard: "unknownToHost", actions: "loseRun" },
    ],
    "host.lost": { actions: "hostIsLost" },
    "host.died": { actions: "noteDaemonDied" },
    definition: { actions: "takeDefinition" },
    winch: { actions: "takeSize" },
    settings: { actions: "takeSettings" },
    stable: { guard: "isStable", actions: "noteStable" },
    "effect.failed": { actions: "fail" },
  },
  states: {
    unknown: {
      on: {
        start: startLater,
        restart: restartLater,
        report: [
          { guard: "runReported", target: "adopting", actions: ["takeRun", "inferRequest", "noteAdoption"] },
          { guard: "stopRequested", target: "stopped" },
          { guard: "lostWithDaemon", target: "launching", actions: "noteLostRun" },
          ...launchFirst,
        ],
        "run.*": [{ guard: "runReported", target: "adopting", actions: ["takeRun", "inferRequest", "noteAdoption"] }],
      },
    },
    adopting: {
      always: [
        { guard: "lives", target: "adoptingAlive" },
        { guard: "stopRequested", target: "stopped" },
        { guard: "startPending", target: "launching", actions: "resetCounters" },
        { target: "judging" },
      ],
    },
    adoptingAlive: {
      entry: "adoptCause",
      always: [
        { guard: "stopRequested", target: "stopping" },
        { guard: "restartPending", target: "stopping", actions: "resetCounters" },
        { guard: "isStoppingForFailure", target: "stopping" },
        { guard: "isStopping", target: "stopping", actions: requestRestart },
        { guard: "isReady", target: "ready", actions: "dropPendingRun" },
        { target: "started", actions: "dropPendingRun" },
      ],
    },
    launching: { always: launchAtOnce },
    judging: {
      always: [
        { guard: "startPending", target: "launching" },
        { guard: "stopRequested", target: "stopped" },
        { guard: "endedWell", target: "stopped" },
        { guard: "mayRestart", target: "backoff", actions: "scheduleRestart" },
        { target: "error", actions: "blame" },
      ],
    },

    stopped: {
      entry: { type: "announce", params: { state: "stopped" } },
      on: { start: launch, restart: launch, "run.*": atRest, report: atRest },
    },
    waiting: {
      entry: { type: "announce", params: { state: "waiting" } },
      exit: "forgetMissing",
      invoke: { src: "watchDependencies", input: ({ context }) => ({ definition: context.definition }) },
      on: {
        dependencies: [
          { guard: "impossible", target: "error", actions: ["blameDependency", "dropPendingRun"] },
          { guard: "readyToClear", target: "#process.starting.clearing" },
          { guard: "noneMissing", target: "#process.starting.spawning" },
          { actions: "takeMissing" },
        ],
        start: startLater,
        restart: startLater,
        stop: giveUp,
        definition: { target: "waiting", reenter: true, actions: "takeDefinition" },
        "run.*": atRest,
        report: atRest,
      },
    },
    starting: {
      initial: "spawning",
      on: { stop: stopAlive },
      states: {
        clearing: {
          entry: { type: "announce", params: { state: "starting" } },
          after: {
            nag: {
              target: "clearing",
              reenter: true,
              actions: "noteRemnants",
            },
          },
          on: {
            "host.died": { target: "#process.launching", actions: "noteDaemonDied" },
            "run.*": [{ guard: "seenExtinct", target: "#process.launching", actions: "takeRun" }],
            report: [
              restartedByHost,
              { guard: "seenExtinct", target: "#process.launching", actions: "takeRun" },
              { guard: "unknownToHost", target: "#process.launching", actions: "loseRun" },
            ],
          },
        },
        spawning: {
          entry: "beginRun",
          exit: "abandon",
          on: {
            "spawn.failed": [
              { guard: "dependenciesLost", target: "#process.launching" },
              { target: "#process.error", actions: ["blameSpawn", "dropPendingRun"] },
            ],
            restart: restartAlive,
            "host.died": { target: daemonDied.target, actions: [daemonDied.actions, "dropPendingRun"] },
            ...whileSpawning,
          },
        },
      },
    },
    started: {
      entry: { type: "announceRun", params: { state: "started" } },
      initial: "settled",
      on: {
        ...running,
        "run.*": [...whileRunning, { guard: "seenReady", target: "ready", actions: "takeRun" }],
        report: [
          ...whileRunning,
          { guard: "seenReady", target: "ready", actions: "takeRun" },
          { guard: "runReported", target: ".settled", actions: "takeRun" },
        ],
      },
      states: {
        settled: { always: { guard: "hasReadyDeadline", target: "unready" } },
        unready: {
          after: {
            readyTimeout: [{ guard: "mayDecide", target: "#process.stopping", actions: "blameReadyTimeout" }, { target: "frozen" }],
          },
        },
        frozen: {},
      },
    },
    ready: {
      entry: { type: "announceRun", params: { state: "ready" } },
      on: { ...running, "run.*": whileRunning, report: whileRunning },
    },
    stopping: {
      entry: [{ type: "announce", params: { state: "stopping" } }, "stopRun"],
      exit: "abandon",
      initial: "patient",
      on: {
        start: startAfterStop,
        restart: startAfterStop,
        "host.died": daemonDied,
        "run.*": [
          { guard: "seenStopped", target: "stopped", actions: "takeRun" },
          { guard: "seenExtinct", target: "judging", actions: "takeRun" },
        ],
        report: [
          { guard: "restartedByHostAsRequested", target: "adopting", actions: "takeRunOfHost" },
          { guard: "seenNotStopping", actions: ["takeRun", "stopRun"] },
          { guard: "seenExtinct", target: "judging", actions: "takeRun" },
          { guard: "unknownToHost", target: "judging", actions: "loseRun" },
        ],
        "stop.gone": { target: "judging", actions: "loseRun" },
      },
      states: {
        patient: { after: { overdue: "overdue" } },
        overdue: {
          entry: "noteOverdue",
          after: { nag: { target: "overdue", reenter: true } },
        },
      },
    },
    backoff: {
      entry: { type: "announce", params: { state: "backoff" } },
      exit: "forgetSchedule",
      initial: "delayed",
      states: {
        delayed: {
          after: { backoff: [{ guard: "mayDecide", target: "#process.launching", actions: "countRestart" }, { target: "frozen" }] },
        },
        frozen: {},
      },
      on: {
        start: launch,
        restart: launch,
        stop: giveUp,
        "run.*": atRest,
        report: [
          ...atRest,
          { guard: "runReported", target: ".delayed", actions: "takeRun" },
          { guard: "unknownToHost", target: ".delayed", actions: "loseRun" },
        ],
      },
    },
    error: {
      entry: { type: "announce", params: { state: "error" } },
      on: {
        start: launch,
        restart: launch,
        stop: giveUp,
        "run.*": atRest,
        report: [
          ...atRest,
          { guard: "startPendingAfterDeath", target: "launching" },
          { guard: "mayRestartAfterDeath", target: "backoff", actions: "scheduleRestart" },
        ],
      },
    },
  },
});

export type ProcessActor = ActorRefFrom<typeof processMachine>;
export type ProcessSnapshot = SnapshotFrom<typeof processMachine>;
