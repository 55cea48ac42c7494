import { z } from "zod";
import { runId, session } from "./fields.ts";
import { stopCause, stopStep } from "./run.ts";

/** Maximum number of stops in one request. */
export const MAX_STOPS = 64;

const stopFields = {
  run_id: runId,
  steps: z.array(stopStep).min(1),
  /** Whether another run is to follow; omitted: as said before (`supervise`). */
  wanted: z.boolean().optional(),
  /** The failure for which the run is stopped; omitted: the stop or a restart was requested. */
  cause: stopCause.optional(),
} as const;

const stop = z.object(stopFields);
export type Stop = z.infer<typeof stop>;

/** Why a stop was refused: the error that a request for this run alone would get. */
const refusedStop = z.object({ run_id: runId, code: z.string().max(64), message: z.string() });

export const STOP_REQUESTS = {
  /** Stops a run. Answered once accepted; the host then carries it out until the run is extinct. A stop of a stopping run is accepted. */
  stop: { request: z.object({ session, ...stopFields }), response: z.object({}) },
  /**
   * The same for many runs: each stop is accepted or refused by itself, in this order. The runs that are accepted are stopping from then on; no
   * event of the kind `stopping` says so.
   */
  stop_runs: {
    request: z.object({ session, stops: z.array(stop).min(1).max(MAX_STOPS) }),
    response: z.object({ refused: z.array(refusedStop).max(MAX_STOPS) }),
  },
} as const;
