import { assertEvent, assign, emit, enqueueActions, fromCallback, not, setup } from "xstate";
import { MgrError, messageOf } from "../../base/errors.ts";
import { NOT_READY } from "../../contract/failure-words.ts";
import { endedWell, exitReason, failureReason, mayRestart, NO_RESTARTS } from "../../contract/restart-policy.ts";
import { writeMemo } from "../../contract/run-memo.ts";
import type { ProcessState, RequestedState } from "../../protocol/resources/resources.ts";
import { endedRun, scheduleRestart } from "./ended-run.ts";
import { DAEMON_DIED, freshRun, isStable, laterRun, reportedCause, runLives, stableIn, treeLives } from "./process-context.ts";
import { announce, dropPendingRun, failedFor, originOf, pendingAfter, startAnew, takeRun } from "./process-requests.ts";
import {
  DependenciesLost,
  type ProcessContext,
  type ProcessEmitted,
  type ProcessEvent,
  type ProcessInput,
  type WatchInput,
} from "./process-types.ts";

/** If anything is still alive this long after SIGKILL, an error is logged, and again each minute. */
const AFTER_SIGKILL_MS = 10_000;
const NAG_MS = 60_000;

const NO_FAILURES = { ...NO_RESTARTS, unstable: false };
const NO_PAST = { stopCause: null, daemonDied: false, isAdopting: false };
const NO_FAILURES_NO_PAST = { ...NO_FAILURES, ...NO_PAST };

function notProvided(effect: string): MgrError {
  return new MgrError("internal", `effect '${effect}' is not provided`);
}

/** The guards, actions and delays that process-machine.ts names. Effects and the guard on dependencies are provided by app. */
export const processSetup = setup({
  types: {
    context: {} as ProcessContext,
    events: {} as ProcessEvent,
    emitted: {} as ProcessEmitted,
    input: {} as ProcessInput,
  },
  actors: {
    watchDependencies: fromCallback<ProcessEvent, WatchInput>(() => {
      throw notProvided("watchDependencies");
    }),
  },
  guards: {
    /** Whether all of `definition.depends_on` hold at this moment; provided by app. */
    dependenciesHold: () => {
      throw notProvided("dependenciesHold");
    },
    stopRequested: ({ context }) => context.requested === "stop",
    startPending: ({ context }) => context.pendingRun !== null && context.requested === "start",
    restartPending: ({ context }) => context.pendingRun?.replace === true && context.requested === "start",
    dependencyMissing: not("dependenciesHold"),
    noneMissing: ({ event }) => isNoneMissing(event),
    readyToClear: ({ context, event }) => isNoneMissing(event) && treeLives(context),
    impossible: ({ event }) => event.type === "dependencies" && event.impossible !== null,
    lives: ({ context }) => runLives(context),
    treeLives: ({ context }) => treeLives(context),
    isReady: ({ context }) => context.runDefinition.ready !== null && context.run?.ready === true,
    isStable: ({ context }) => isStable(context),
    isStopping: ({ context }) => context.run?.stopping === true,
    isStoppingForFailure: ({ context }) => context.run?.stopping === true && context.run.stop_cause !== undefined,
    hasReadyDeadline: ({ context }) => context.runDefinition.ready !== null && context.runDefinition.ready_timeout !== null,
    endedWell: ({ context }) => endedWell(endedRun(context)) && context.definition.restart.policy !== "always",
    mayRestart: ({ context }) => mayRestart(endedRun(context)),
    startPendingAfterDeath: ({ context }) => context.daemonDied && context.pendingRun !== null && context.requested === "start",
    mayRestartAfterDeath: ({ context }) => context.daemonDied && mayRestart(endedRun(context)),
    runReported: ({ context, event }) => freshRun(context, event) !== null,
    seenAlive: ({ context, event }) => freshRun(context, event)?.exit === null,
    seenReady: ({ context, event }) => freshRun(context, event)?.ready === true && context.runDefinition.ready !== null,
    seenEnded: ({ context, event }) => (freshRun(context, event)?.exit ?? null) !== null,
    seenExtinct: ({ context, event }) => freshRun(context, event)?.extinct === true,
    /** The same, of a run that was stopped as requested: no other run follows. */
    seenStopped: ({ context, event }) => context.requested === "stop" && freshRun(context, event)?.extinct === true,
    /** Whether the report is the recorded result of a failed spawn: the run never started. */
    seenFailed: ({ context, event }) => (freshRun(context, event)?.exit?.reason ?? null) !== null,
    /** Whether an earlier manager or the daemon itself is already stopping the run. */
    seenStopping: ({ context, event }) => {
      const run = freshRun(context, event);
      return event.type === "report" && run?.exit === null && run.stopping;
    },
    /** The same, because of a failure: the restart policy decides about the next run. */
    seenStoppingForFailure: ({ context, event }) => {
      const run = freshRun(context, event);
      return event.type === "report" && run?.exit === null && run.stopping && run.stop_cause !== undefined;
    },
    seenNotStopping: ({ context, event }) => {
      const run = freshRun(context, event);
      return run?.exit === null && !run.stopping;
    },
    /** Whether the host has started another run without this manager. */
    restartedByHost: ({ context, event }) => laterRun(context, event) !== null,
    restartedByHostAsRequested: ({ context, event }) => context.requested === "start" && laterRun(context, event) !== null,
    mayDecide: ({ context }) => !context.isFrozen,
    dependenciesLost: ({ event }) => event.type === "spawn.failed" && event.error instanceof DependenciesLost,
    isCurrentRun: ({ context, event }) => event.type === "recycle" && event.runId === context.runId,
    unknownToHost: ({ event }) => event.type === "report" && event.run === null,
    lostWithDaemon: ({ event }) => event.type === "report" && typeof event.lost === "string",
  },
  actions: {
    /** Emits one `changed` per change of the visible state; re-entering the same state emits nothing. */
    announce: enqueueActions(({ context, enqueue }, { state }: { state: ProcessState }) => {
      announce(context, state, enqueue);
      enqueue.assign({ shown: state, reason: null, isAdopting: false });
    }),
    /** The same for a state in which a run lives. Starts a timer only after a failure: a process that never failed has none. */
    announceRun: enqueueActions(({ context, enqueue }, { state }: { state: ProcessState }) => {
      announce(context, state, enqueue);
      enqueue.assign({ shown: state, reason: null, isAdopting: false });
      if (!context.unstable) return;
      enqueue.cancel("stable");
      enqueue.raise({ type: "stable" }, { id: "stable", delay: stableIn(context) });
    }),
    noteRemnants: emit({
      type: "note",
      level: "error",
      msg: "processes of its last run are still alive; it starts when they have ended",
    }),
    noteOverdue: emit(({ context }) => {
      const why = context.isFrozen ? "its host cannot be reached" : "it is stuck in the kernel";
      return { type: "note", level: "error", msg: `it still exists 10 s after SIGKILL: ${why}` };
    }),
    request: enqueueActions(({ context, event, enqueue }, { to }: { to: RequestedState }) => {
      if (to === "stop") dropPendingRun(context, enqueue);
      const origin = originOf(event, context.clock.now());
      // Emitted even if the same was already requested: the earlier request may come from the configuration, and this one from a user.
      if (context.requested === to && to === "stop" && (origin === null || context.origin !== null)) return;
      enqueue.assign({ requested: to, origin });
      enqueue.emit({ type: "intent", requested_state: to, origin });
    }),
    /** Infers a lost request from the run: a running process was requested to start, a stopping one to stop. */
    inferRequest: enqueueActions(({ context, enqueue }) => {
      const { isIntentLost, requested, run } = context;
      // Nothing can be inferred from a run that ended by itself, or that may be stopping for a restart.
      if (!isIntentLost || run === null || runLives(context) === run.stopping) return;
      const to = run.stopping ? "stop" : "start";
      if (requested === to) return;
      const origin = { by: "", time: context.clock.now(), stoppedWith: null };
      enqueue.assign({ requested: to, origin });
      enqueue.emit({ type: "intent", requested_state: to, origin });
    }),
    /** Handles a user's request to start, or with `replace` to restart: earlier failures no longer count. */
    startAnew: enqueueActions(({ context, event, enqueue }, { replace }: { replace: boolean }) =>
      startAnew(context, event, { replace, enqueue, more: NO_FAILURES }),
    ),
    /** The same if no run lives, with `forgetPast`. */
    launchAnew: enqueueActions(({ context, event, enqueue }) =>
      startAnew(context, event, { replace: false, enqueue, more: NO_FAILURES_NO_PAST }),
    ),
    resetCounters: assign(NO_FAILURES),
    noteStable: assign({ unstable: false }),
    /** Requests a run; with `replace`, also if the newest run still lives. */
    requestRun: enqueueActions(({ context, enqueue }, { replace }: { replace: boolean }) => {
      const pending = pendingAfter(context, replace);
      if (pending === context.pendingRun) return;
      enqueue.assign({ pendingRun: pending });
      enqueue.emit({ type: "pending_run", pending });
    }),
    dropPendingRun: enqueueActions(({ context, enqueue }) => dropPendingRun(context, enqueue)),
    blameReadyTimeout: assign(({ context }) => ({
      stopCause: { reason: `${NOT_READY}${(context.runDefinition.ready_timeout ?? 0) / 1_000} s` },
    })),
    blameLiveness: assign(({ event }) => {
      assertEvent(event, "liveness.failed");
      return { stopCause: { reason: event.reason } };
    }),
    blameRecycle: assign(({ event }) => {
      assertEvent(event, "recycle");
      return { stopCause: { reason: event.reason, isRecycled: true } };
    }),
    noteLostRun: emit(({ event }) => {
      assertEvent(event, "report");
      return { type: "note", level: "warning", msg: `${event.lost}; it is started, as requested` };
    }),
    noteFilesChanged: emit(({ event }) => {
      assertEvent(event, "files.changed");
      return { type: "note", level: "info", msg: `it is restarted: '${event.path}' changed` };
    }),
    takeRun: enqueueActions(({ context, event, enqueue }) => {
      const run = freshRun(context, event);
      if (run !== null) takeRun(context, event, { run, enqueue });
    }),
    /** The host no longer knows the run: it ended without an observed exit. */
    loseRun: assign({ runGone: true, daemonDied: false, isFrozen: false }),
    /** The run of the host replaces one that this manager has decided to start, but that its host has not started. */
    takeRunOfHost: enqueueActions(({ context, event, enqueue }) => {
      const run = laterRun(context, event);
      if (run !== null) takeRun({ ...context, runId: null }, event, { run, enqueue, more: NO_PAST });
    }),
    blameDaemon: assign(({ context }) => ({
      runGone: true,
      daemonDied: true,
      stopCause: null,
      ...failedFor(context, DAEMON_DIED),
    })),
    noteDaemonDied: assign({ runGone: true, isFrozen: true }),
    hostIsLost: assign({ isFrozen: true }),
    takeDefinition: assign(({ event }) => {
      assertEvent(event, "definition");
      return { definition: event.definition };
    }),
    takeSize: assign(({ event }) => {
      assertEvent(event, "winch");
      return { size: { rows: event.rows, cols: event.cols } };
    }),
    takeSettings: assign(({ event }) => {
      assertEvent(event, "settings");
      return { settings: event.settings };
    }),
    takeMissing: assign(({ event }) => {
      assertEvent(event, "dependencies");
      return { waitingFor: [...event.missing] };
    }),
    forgetMissing: assign({ waitingFor: [] }),
    blameDependency: assign(({ context, event }) => {
      assertEvent(event, "dependencies");
      const { lastRunSucceeded } = context;
      return { ...failedFor(context, event.impossible ?? ""), lastRunSucceeded };
    }),
    /** Announces the start and requests it from the host, with one assignment: a start counts with thousands of processes. */
    beginRun: enqueueActions(({ context, enqueue }) => {
      const { run, definition, settings, size, nextRunId, clock } = context;
      const runId = nextRunId();
      announce(context, "starting", enqueue);
      enqueue.assign({
        shown: "starting",
        reason: null,
        isAdopting: false,
        runId,
        runDefinition: definition,
        runSettings: settings,
        host: definition.host,
        exit: null,
        lastRunSucceeded: null,
      });
      const memo = writeMemo(context, clock.monotonic());
      enqueue.emit({ type: "spawn", run: { runId, definition, settings, size, memo, after: run?.run_id ?? null } });
    }),
    stopRun: emit(({ context: { runId, host, definition, requested, stopCause } }) => ({
      type: "stop_run",
      // The next run of a process that moves is not this host's.
      run: { runId: runId ?? "", host, definition, isWanted: requested === "start" && host === definition.host, cause: stopCause },
    })),
    abandon: emit({ type: "abandon" }),
    fail: ({ event }) => {
      assertEvent(event, "effect.failed");
      throw event.error;
    },
    blameSpawn: assign(({ context, event }) => {
      assertEvent(event, "spawn.failed");
      return failedFor(context, messageOf(event.error));
    }),
    blameRecord: assign(({ context }) => ({ reason: context.exit?.reason ?? null })),
    scheduleRestart: assign(({ context }) => ({ reason: failureReason(endedRun(context)), ...scheduleRestart(context) })),
    countRestart: assign(({ context }) => ({ restarts: context.restarts + 1 })),
    forgetSchedule: assign({ nextStart: null }),
    blame: assign(({ context }) => {
      const run = endedRun(context);
      const reason = failureReason(run);
      const exit = context.exit ?? { code: null, signal: null, reason, time: context.clock.now() };
      const { code, signal, time } = exit;
      return { reason, exit: { code, signal, reason: exitReason(run) ?? exit.reason, time } };
    }),
    /** Replaces the reason of the previous stop by that of the run. */
    adoptCause: assign(({ context }) => ({ stopCause: reportedCause(context.run), daemonDied: false })),
    noteAdoption: assign(({ context }) => ({ isAdopting: context.isNew, isNew: false })),
    /** Used on launching: later changes are caused by this manager. */
    forgetPast: assign(NO_PAST),
    /** Sends the same report to the next state: one visible step at a time, each in its own turn. */
    again: ({ self, event }) => self.send(event),
    /** The same, only if `started` has to react to the report. */
    againUnlessPlain: ({ self, event }) => {
      const run = "run" in event ? event.run : null;
      if (run !== null && (run.exit !== null || run.ready || run.stopping)) self.send(event);
    },
  },
  delays: {
    readyTimeout: ({ context }) => untilMonotonic(context, context.runBegan + (context.runDefinition.ready_timeout ?? 0)),
    backoff: ({ context }) => untilMonotonic(context, context.nextStart?.monotonic ?? 0),
    overdue: ({ context }) =>
      AFTER_SIGKILL_MS +
      context.definition.stop.reduce((sum, step) => sum + ("signal" in step && step.signal === "SIGKILL" ? 0 : step.timeout_ms), 0),
    nag: NAG_MS,
  },
});

function isNoneMissing(event: ProcessEvent): boolean {
  return event.type === "dependencies" && event.impossible === null && event.missing.length === 0;
}

function untilMonotonic(context: ProcessContext, time: number): number {
  return Math.max(0, time - context.clock.monotonic());
}
