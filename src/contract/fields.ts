import { z } from "zod";

/** Id of a session: a manager's permission to command a host. */
export const session = z.string().min(1).max(64);
export const count = z.int().min(0);
/** Name of a stream, chosen by the manager (contract/streams.ts). */
export const streamName = z.string().min(1).max(64);

/**
 * A run is one execution of a process. Its id is `<epoch>-<n>`: the manager's boot epoch and a counter of that boot; or `<epoch>-<n>-<k>`: the
 * k-th run that a host without a manager started after that one (contract/run-ids.ts).
 */
export const runId = z.string().regex(/^\d{1,15}-\d{1,15}(-\d{1,15})?$/);
export type RunId = string;
