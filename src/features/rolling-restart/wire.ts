import { z } from "zod";
import { integer, processName, text } from "../../protocol/frames/field-kinds.ts";
import { change, clientFrames, managerFrames, result } from "../../protocol/frames/frame-table.ts";

/** Maximum number of processes that one rolling restart takes. */
export const MAX_NAMES = 1_000;
/** Maximum and default time for the restart of one process, seconds. */
export const MAX_STEP_S = 3_600;
export const DEFAULT_STEP_S = 600;

export const STEP_STATES = ["pending", "restarting", "done", "failed", "left_out"] as const;
export type StepState = (typeof STEP_STATES)[number];

const restartStep = z
  .object({
    name: z.string().describe("Name of the process."),
    id: z.string().describe("The rolling restart that it is part of."),
    by: z.string().describe("User who requested it."),
    position: z.int().describe("Its place in the order, from 1."),
    total: z.int().describe("Number of processes of the rolling restart."),
    state: z
      .enum(STEP_STATES)
      .describe(
        "pending; restarting; done: ready, or without a ready condition stable, or completed; failed; left_out: not restarted, because an earlier one failed or the rest was cancelled.",
      ),
    reason: z.string().nullable().describe("Why it failed or was left out, as the end of a sentence; else null."),
  })
  .meta({ id: "RestartStep", description: "A process that a rolling restart restarts in its turn." });
export type RestartStep = z.infer<typeof restartStep>;

const id = z.string().describe("Identifies the rolling restart in `cancel_rolling_restart` and in the steps.");

const namesSay = `must be a list of 1 to ${MAX_NAMES} names of processes`;

export const rollingRestartCommands = clientFrames("Rolling restarts", {
  rolling_restart: {
    fields: {
      names: z
        .array(processName, { error: namesSay })
        .min(1, { error: namesSay })
        .max(MAX_NAMES, { error: namesSay })
        .describe("Names of processes, in the order in which they are restarted."),
      timeout: integer(1, MAX_STEP_S)
        .describe(`Seconds that each may take to stop and to be ready. Default ${DEFAULT_STEP_S}.`)
        .exactOptional(),
    },
    answer: "rolling_restart_begun",
    scope: "owned",
    role: "operator",
    meaning:
      "Restarts processes one after the other: the next one when the one before is ready. It stops when one fails. It continues without the client, but not after a restart of the manager.",
  },
  cancel_rolling_restart: {
    fields: { id: text(1, 64).describe("Of the rolling restart.") },
    answer: null,
    scope: "owned",
    role: "operator",
    meaning: "Stops a rolling restart after the process that it is restarting now.",
  },
});

export const rollingRestartFrames = managerFrames("Rolling restarts", {
  rolling_restart_begun: result({}, { id }, "A rolling restart has begun, or not."),
  restart_step_upsert: change(
    { step: restartStep },
    "The turn of a process in a rolling restart has changed.",
    ({ step: { name } }) => `restart_step:${name}`,
    ({ step: { name } }) => name,
  ),
  restart_step_remove: change(
    { name: z.string() },
    "The last rolling restart of a process ended a while ago, or the process was removed.",
    ({ name }) => `restart_step:${name}`,
    ({ name }) => name,
  ),
});

/** On a focused connection, those of the processes in view. */
export const rollingRestartSnapshot = { restart_steps: z.array(restartStep) };
