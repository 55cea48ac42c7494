import { DependenciesLost } from "../../actors/process/process-types.ts";
import { MgrError } from "../../base/errors.ts";
import type { Cancellation } from "../../base/timing/cancellation.ts";
import { type Clock, pause } from "../../base/timing/clock.ts";
import type { RunId } from "../../contract/fields.ts";
import type { StopCause } from "../../contract/restart-policy.ts";
import type { RunReport, RunSpec, StopStep } from "../../contract/run.ts";
import type { HostSession } from "./host-session.ts";

/** Pause before a command that got no answer is sent again, milliseconds. The host recognizes it by its run_id. */
const RETRY_MS = 250;

/** The session with the host, and the clock for retries. */
interface Target {
  session: HostSession;
  clock: Clock;
}

/** Error codes of a spawn that a retry cannot fix. */
const UNSTARTABLE = new Set(["spawn_failed", "bad_field", "forbidden", "internal"]);

/**
 * Spawns a run, and retries when the host is lost, always with the same run_id and the same frozen spec, so that the host never starts it twice.
 * Rejects with the host's error when the program cannot be started, and with DependenciesLost when `stillHold` returns false before anything was
 * sent.
 */
export async function spawnRun(
  { session, clock }: Target,
  command: { runId: RunId; spec: RunSpec; memo: string; after?: RunId | null; stillHold: () => boolean },
  cancellation: Cancellation,
): Promise<RunReport> {
  const { runId: run_id, spec, memo, after = null, stillHold } = command;
  const request = { run_id, spec, memo, ...(after === null ? {} : { after }) };
  let isSent = false;
  return untilAnswered(
    { session, clock },
    cancellation,
    async () => {
      const answer = await session.command((id) => {
        // The host may have been unreachable for long. A request that was sent may have been carried out: it is sent again.
        if (!isSent && !stillHold()) throw new DependenciesLost("its dependencies no longer hold");
        isSent = true;
        return session.link.request("spawn", { session: id, ...request });
      });
      return answer.run;
    },
    (error) => !(error instanceof MgrError) || UNSTARTABLE.has(error.code),
  );
}

/** Requests the stop of a run, which the host completes by itself. "gone": the run has already ended. */
export async function stopRun(
  { session, clock }: Target,
  command: { runId: RunId; steps: StopStep[]; isWanted?: boolean; cause?: StopCause },
  cancellation: Cancellation,
): Promise<"accepted" | "gone"> {
  const { runId: run_id, steps, isWanted, cause = null } = command;
  const request = {
    run_id,
    steps,
    ...(isWanted === undefined ? {} : { wanted: isWanted }),
    ...(cause === null ? {} : { cause: { reason: cause.reason.slice(0, 1_000), recycled: cause.isRecycled ?? false } }),
  };
  return untilAnswered(
    { session, clock },
    cancellation,
    async () => {
      try {
        await session.stops.send(request);
        return "accepted";
      } catch (error) {
        if (error instanceof MgrError && error.code === "not_running") return "gone";
        throw error;
      }
    },
    (error) => !(error instanceof MgrError),
  );
}

async function untilAnswered<T>(
  { session, clock }: Target,
  cancellation: Cancellation,
  send: () => Promise<T>,
  isFinal: (error: unknown) => boolean,
): Promise<T> {
  for (;;) {
    // Thousands may wait for a host that is unreachable: none of them polls.
    if (!session.isOpen) await session.whenOpen(cancellation.signal);
    cancellation.throwIfCancelled();
    try {
      return await send();
    } catch (error) {
      if (isFinal(error)) throw error;
    }
    await pause(clock, RETRY_MS, cancellation.signal);
  }
}
