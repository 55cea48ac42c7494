// Steps of process-setup.ts that requests and reports share.
import type { PendingRun, RequestOrigin } from "../../config/state/process-intent.ts";
import type { RunReport } from "../../contract/run.ts";
import type { ProcessState } from "../../protocol/resources/resources.ts";
import { carriesOut, withRun } from "./process-context.ts";
import { BY_CONFIGURATION, type ProcessContext, type ProcessEmitted, type ProcessEvent } from "./process-types.ts";

export function originOf(event: ProcessEvent, time: number): RequestOrigin | null {
  if (!("by" in event) || event.by === BY_CONFIGURATION) return null;
  return { by: event.by, time, stoppedWith: (event.type === "stop" ? event.stoppedWith : undefined) ?? null };
}

/** The pending run after a request to start, or with `replace` to restart; the same object if the request changes nothing. */
export function pendingAfter({ pendingRun, runId, lastRunId }: ProcessContext, replace: boolean): PendingRun {
  // Before the first report the newest run is unknown, but an earlier manager started it.
  const pending = { after: runId ?? lastRunId(), replace: replace || pendingRun?.replace === true };
  return pendingRun?.after === pending.after && pendingRun.replace === pending.replace ? pendingRun : pending;
}

/** Emits that the visible state changes, unless it stays the same. */
export function announce({ shown, reason, isAdopting }: ProcessContext, state: ProcessState, enqueue: Pick<Enqueue, "emit">): void {
  if (shown === state) return;
  enqueue.emit(isAdopting ? { type: "adopted", state, reason } : { type: "changed", from: shown, to: state, reason });
}

/** `more`: changes besides those of the report. */
export function takeRun(
  context: ProcessContext,
  event: ProcessEvent,
  { run, enqueue, more = {} }: { run: RunReport; enqueue: Enqueue; more?: Partial<ProcessContext> },
): void {
  const known = withRun(context, run, event.type === "report", event.type === "report" ? event.host : undefined);
  const isPendingMet = context.pendingRun !== null && carriesOut(run, context.pendingRun);
  enqueue.assign({ ...more, ...known, ...(isPendingMet ? { pendingRun: null } : {}) });
  if (isPendingMet) enqueue.emit({ type: "pending_run", pending: null });
}

interface Enqueue {
  assign(changes: Partial<ProcessContext>): void;
  emit(event: ProcessEmitted): void;
}

export function startAnew(
  context: ProcessContext,
  event: ProcessEvent,
  { replace, enqueue, more }: { replace: boolean; enqueue: Enqueue; more: Partial<ProcessContext> },
): void {
  const origin = originOf(event, context.clock.now());
  const pendingRun = pendingAfter(context, replace);
  enqueue.assign({ requested: "start", origin, ...more, pendingRun });
  enqueue.emit({ type: "intent", requested_state: "start", origin });
  if (pendingRun !== context.pendingRun) enqueue.emit({ type: "pending_run", pending: pendingRun });
}

export function dropPendingRun({ pendingRun }: ProcessContext, enqueue: Enqueue): void {
  if (pendingRun === null) return;
  enqueue.assign({ pendingRun: null });
  enqueue.emit({ type: "pending_run", pending: null });
}

export function failedFor(context: ProcessContext, reason: string): Pick<ProcessContext, "lastRunSucceeded" | "exit" | "reason"> {
  return { lastRunSucceeded: false, reason, exit: { code: null, signal: null, reason, time: context.clock.now() } };
}
