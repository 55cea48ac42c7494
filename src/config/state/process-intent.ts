// The intent of one process: its schema, and what is left of it without a start.
import { z } from "zod";
import { MgrError } from "../../base/errors.ts";
import { type RunId, runId } from "../../contract/fields.ts";
import { toCommand } from "../command-line.ts";
import { PRIMARY, type ProcessSettings } from "./process-settings.ts";

/** Requests of users about one process, as they are saved: its requested state, what is pending, and their settings. */

const dimension = z.int().min(1).max(65_535);

/** An override must be a command that the manager can parse: otherwise it could not show the process. */
const command = z.string().refine((text) => isCommand(text), { error: "is not a command" });
const settings = z.looseObject({
  which: z.string().default(PRIMARY),
  overrides: z.array(z.tuple([z.string(), command])).default([]),
  start_tool: z.string().nullable().default(null),
  svc_debug: z.boolean().default(false),
  low_delay_output: z.boolean().default(false),
  no_skip_display: z.boolean().default(false),
});

const pendingRun = z.looseObject({ after: runId, replace: z.boolean() });
const requestOrigin = z.looseObject({ by: z.string(), time: z.number(), stoppedWith: z.string().nullable() });
export const processIntent = z.looseObject({
  requested_state: z.enum(["start", "stop"]).exactOptional(),
  origin: requestOrigin.nullable().exactOptional(),
  pending_run: pendingRun.nullable().exactOptional(),
  resume_with: z.array(z.string()).exactOptional(),
  /** Terminal size of the last `send_winch`. */
  rows: dimension.exactOptional(),
  cols: dimension.exactOptional(),
  settings: settings.exactOptional(),
  host: z.string().nullable().exactOptional(),
  web_starter: z.string().exactOptional(),
});

/** A start or restart that was accepted. Any run newer than `after` carries it out. */
export interface PendingRun {
  readonly after: RunId;
  /** Whether the request is a restart: an older run that still lives is stopped first. A start keeps such a run. */
  readonly replace: boolean;
}

/** The request that set the requested state. */
export interface RequestOrigin {
  /** Name of the requester; "": not known, because the state was inferred from living runs. */
  readonly by: string;
  /** Unix milliseconds. */
  readonly time: number;
  /** For a stop: the dependency whose stop caused it; null: the stop itself was requested. */
  readonly stoppedWith: string | null;
}

/** The requests of users about a process. A name without `requested_state` follows its `autostart`. */
export interface ProcessIntent {
  requested_state?: "start" | "stop";
  origin?: RequestOrigin | null;
  /** The pending run, kept until it has begun, so that the next manager carries it out; null or omitted: nothing is pending. */
  pending_run?: PendingRun | null;
  /** The processes with which it was stopped (`on_stop: restart`): it starts again once all of them are requested to start. */
  resume_with?: readonly string[];
  rows?: number;
  cols?: number;
  settings?: ProcessSettings;
  /** Host of its newest run; null: the manager's own. The run is searched there before it is started elsewhere. */
  host?: string | null;
  /** The user who last started the process, if its windows show on a display of that user. */
  web_starter?: string;
}

/** Drops a requested start; keeps a requested stop and settings. Returns the same object if there is nothing to drop. */
export function withoutStart(intent: ProcessIntent): ProcessIntent {
  const { requested_state, origin, pending_run, resume_with, ...choices } = intent;
  if (requested_state === "start") return choices;
  if (pending_run == null && resume_with === undefined) return intent;
  return requested_state === undefined ? choices : { ...choices, requested_state, ...(origin ? { origin } : {}) };
}

function isCommand(text: string): boolean {
  try {
    toCommand(text);
    return true;
  } catch (error) {
    if (error instanceof MgrError) return false;
    throw error;
  }
}
