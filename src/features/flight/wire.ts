import { z } from "zod";
import { count, flag, integer, processName, text, timestamp } from "../../protocol/frames/field-kinds.ts";
import { answer, change, clientFrames, managerFrames, result } from "../../protocol/frames/frame-table.ts";
import { requestTime } from "../load-history/time-range.ts";
import { MAX_CAUSE, MAX_SPAN_MS } from "./contract.ts";
import { DEFAULT_LISTED, MAX_LISTED, MAX_NOTE_CHARS, MAX_OUTPUT_BYTES } from "./limits.ts";

const milliseconds = (what: string) => z.number().nullable().describe(what);

const incidentTrigger = z
  .object({
    trigger: z.string().describe("Name of the trigger in the configuration; `snapshot`: a user asked for it."),
    text: z.string().max(MAX_CAUSE).describe("What happened, for a person: `sim/camera crashed: exit code 3`."),
    host: z.string().nullable().describe("The host that noticed it; null: the manager."),
    time: timestamp.describe("By the clock of the manager."),
    fired: z.int().describe("Number of times that it fired, until its quiet time was over."),
  })
  .meta({ id: "IncidentTrigger", description: "A reason for an incident." });
export type IncidentTrigger = z.infer<typeof incidentTrigger>;

const incidentHost = z
  .object({
    host: z.string(),
    state: z
      .enum(["away", "recording", "collecting", "merged", "absent"])
      .describe(
        "`away`: its part is added when the host is connected again. `recording`: the time after the trigger is not over. `collecting`: its part is being copied to the manager. `merged`: its part is in the file. `absent`: it has no part, and `missing` says why.",
      ),
    offset_ms: milliseconds(
      "Its clock minus that of the manager; already applied to the times in the file. Null: not measured, taken as 0.",
    ),
    uncertainty_ms: milliseconds("The true offset differs from `offset_ms` by this much at most; null: unknown."),
    reaches: timestamp.nullable().describe("Time of the oldest message that its ring still had; null: there was none."),
    missing: z.array(z.string()).describe("What is not in its part, each a sentence without a full stop."),
    messages: z.int(),
    size: z.int().describe("Bytes of its part."),
  })
  .meta({ id: "IncidentHost", description: "The part that one host has in an incident." });
export type IncidentHost = z.infer<typeof incidentHost>;

export const incident = z
  .object({
    id: z.string().describe("Name of the incident, for commands and the download."),
    state: z
      .enum(["recording", "collecting", "complete"])
      .describe("`complete`: the file has what could be had. It grows once more when a host that was away adds its part."),
    problem: z.string().nullable().describe("Why its file could not be written, and what to do."),
    time: timestamp.describe("Of its first trigger."),
    from: timestamp.describe("The time that was requested."),
    until: timestamp,
    triggers: z.array(incidentTrigger).describe("The first 50; oldest first."),
    note: z.string().describe("Text of the user who asked for it; empty: none."),
    by: z.string().nullable().describe("The user who asked for it; null: a trigger did."),
    is_pinned: z.boolean().describe("It is kept until it is deleted."),
    hosts: z.array(incidentHost),
    missing: z.array(z.string()).describe("What is missing, in sentences without a full stop, for the incident as a whole."),
    messages: z.int(),
    size: z.int().describe("Bytes of its MCAP file; 0: there is none yet."),
  })
  .meta({ id: "Incident", description: "What all hosts recorded around a trigger, in one MCAP file." });
export type Incident = z.infer<typeof incident>;

const clockFields = {
  offset_ms: milliseconds("Its clock minus that of the manager; null: not measured yet."),
  uncertainty_ms: milliseconds("The true offset differs from `offset_ms` by this much at most."),
};

const hostClock = z
  .object({ host: z.string(), ...clockFields })
  .meta({ id: "HostClock", description: "How far the clock of a host is from that of the manager." });
export type HostClock = z.infer<typeof hostClock>;

const flightHost = z
  .object({
    host: z.string(),
    bytes: z.int().describe("What its ring in memory holds."),
    disk_bytes: z.int().describe("What its ring on disk holds."),
    messages: z.int(),
    oldest: timestamp.nullable().describe("By the clock of the host; null: the ring is empty."),
    newest: timestamp.nullable(),
    ...clockFields,
  })
  .meta({ id: "FlightHost", description: "The flight recorder of one host." });
export type FlightHost = z.infer<typeof flightHost>;

const id = text(1, 255).describe("Id of an incident.");
const spanMs = integer(0, MAX_SPAN_MS);
const action = (name: string) => ({ action: name });

export const flightCommands = clientFrames("Flight recorder", {
  request_incidents: {
    fields: { limit: count(MAX_LISTED).describe(`Most incidents; default ${DEFAULT_LISTED}, at most ${MAX_LISTED}.`).exactOptional() },
    answer: "incidents_snapshot",
    scope: "global",
    role: "viewer",
    readOnly: true,
    meaning: "The incidents, newest first. Needs the role on everything: an incident has the output and topics of all processes.",
  },
  request_incident_output: {
    fields: {
      id,
      name: processName,
      until: requestTime.describe("Output until this time, by the clock of the manager; default: all of it.").exactOptional(),
    },
    answer: "incident_output",
    scope: "global",
    role: "viewer",
    readOnly: true,
    meaning: `The last output of a process in an incident, at most ${MAX_OUTPUT_BYTES / 1024} KiB.`,
  },
  request_flight_hosts: {
    fields: {},
    answer: "flight_hosts",
    scope: "global",
    role: "viewer",
    readOnly: true,
    meaning: "What the flight recorder of each host holds now, and how far the clocks are apart.",
  },
  request_host_clocks: {
    fields: {},
    answer: "host_clocks",
    scope: "global",
    role: "viewer",
    readOnly: true,
    meaning: "How far the clocks of the hosts are from that of the manager, as measured last. Answered without asking the hosts.",
  },
  keep_incident: {
    fields: {
      note: text(0, MAX_NOTE_CHARS).describe("Why; shown with the incident.").exactOptional(),
      before: spanMs.describe("Milliseconds before now; default 30000.").exactOptional(),
      after: spanMs.describe("Milliseconds after now; default 0.").exactOptional(),
    },
    answer: "incident_action_result",
    constant: action("keep"),
    scope: "global",
    role: "operator",
    meaning:
      "Keeps what all hosts have recorded, as a trigger does. Answered when it has begun; `incident_upsert` shows when it is complete.",
  },
  pin_incident: {
    fields: { id, is_pinned: flag.describe("Whether it is kept until it is deleted.") },
    answer: "incident_action_result",
    constant: action("pin"),
    scope: "global",
    role: "operator",
    meaning: "Keeps an incident although it is old, or no longer.",
  },
  delete_incident: {
    fields: { id },
    answer: "incident_action_result",
    constant: action("delete"),
    scope: "global",
    role: "operator",
    meaning: "Deletes an incident with its file, pinned or not, and what hosts still have of it.",
  },
});

export const flightFrames = managerFrames("Flight recorder", {
  incidents_snapshot: answer(
    {
      is_enabled: z.boolean().describe("Whether the flight recorder is configured."),
      incidents: z.array(incident),
    },
    "The incidents, newest first.",
  ),
  incident_output: result(
    { id: z.string(), name: z.string() },
    {
      text: z.string().describe("As the process wrote it, with its control sequences."),
      is_cut: z.boolean().describe("Whether there was more before it."),
    },
    "The output of a process as it was in an incident.",
  ),
  flight_hosts: result(
    {},
    { hosts: z.array(flightHost), away: z.array(z.string()).describe("Hosts that could not be asked.") },
    "The flight recorders of all hosts.",
  ),
  host_clocks: answer(
    { clocks: z.array(hostClock) },
    "The clocks of all hosts, those that are not connected included. Empty: the flight recorder, which measures them, is not configured.",
  ),
  incident_upsert: change(
    { incident },
    "An incident began or changed; progress at most twice a second.",
    ({ incident }) => `incident:${incident.id}`,
  ),
  incident_remove: change({ id: z.string() }, "An incident was deleted, by a user or because newer ones took its place."),
  incident_action_result: result(
    { action: z.enum(["keep", "pin", "delete"]), id: z.string().exactOptional() },
    { id: z.string().describe("Of the incident; of `keep` the new one. A failed `pin` or `delete` has it, too.") },
    "A command about an incident was carried out, or not.",
  ),
});
