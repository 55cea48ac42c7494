import { z } from "zod";
import { count, hostName, objectName, timestamp } from "../../protocol/frames/field-kinds.ts";
import { answer, clientFrames, managerFrames } from "../../protocol/frames/frame-table.ts";
import { stateChange } from "../../protocol/resources/log.ts";
import { EVENT_KINDS, MAX_EVENTS } from "./series.ts";
import { timeRange } from "./time-range.ts";

const kindsSay = `must be an array of ${EVENT_KINDS.join(", ")}`;

const historyEvent = z
  .object({
    ts: timestamp,
    kind: z
      .enum(EVENT_KINDS)
      .describe(
        "`crash`: a process failed or its run ended badly. `restart`: it is started again by itself. `state`: every other change of its state. `command`, `configuration`: what a user did.",
      ),
    name: z.string().nullable().describe("The process or group; null: the whole instance."),
    text: z.string(),
    change: stateChange.omit({ process: true }).exactOptional(),
  })
  .meta({ id: "HistoryEvent" });
export type HistoryEvent = z.infer<typeof historyEvent>;

export const historyEventCommands = clientFrames("Load history", {
  request_history_events: {
    fields: {
      name: objectName
        .describe("Of this process, or of this group with all its members. Without `name` and `host`: of everything.")
        .exactOptional(),
      host: hostName.describe("Of the processes that are on this host now.").exactOptional(),
      ...timeRange,
      kinds: z
        .array(z.enum(EVENT_KINDS, { error: kindsSay }), { error: kindsSay })
        .describe("Default all.")
        .exactOptional(),
      limit: count(MAX_EVENTS).describe(`How many of the newest, by default and at most ${MAX_EVENTS}.`).exactOptional(),
    },
    answer: "history_events",
    scope: "output",
    role: "viewer",
    readOnly: true,
    meaning: "What happened in a part of the past, from the retained log of the manager. On a focused connection, to what is in view.",
  },
});

export const historyEventFrames = managerFrames("Load history", {
  history_events: answer(
    {
      events: z
        .array(historyEvent)
        .describe("Oldest first. Where all changes of state of one process are requested, also the last one before the range."),
      left_out: z.int().describe("Older events of the range that exceed the limit."),
      oldest: timestamp.nullable().describe("Where the log begins; null: it is empty."),
    },
    "Events, by the clock of the manager.",
  ),
});
