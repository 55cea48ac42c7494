import { z } from "zod";
import { MgrError } from "../../../base/errors.ts";
import { MAX_LISTED, MAX_NOTE_CHARS } from "../../flight/limits.ts";
import type { Incident } from "../../flight/wire.ts";
import { MAX_LINES, plain } from "./processes.ts";
import { type Tool, tool } from "./tool.ts";

/** Entries of the log that are searched for those of an incident, and that are shown with it. */
const MAX_SEARCHED = 1_000;
const MAX_ENTRIES = 50;

const id = z.string().min(1).max(255).describe("Id of an incident.");

/** Tools for what the flight recorder has kept. */
export const INCIDENT_TOOLS: readonly Tool[] = [
  tool({
    name: "list_incidents",
    title: "Incidents of the flight recorder",
    description: "What the hosts recorded around crashes and other triggers, newest first: id, causes, hosts, what is missing.",
    input: z.object({ limit: z.int().min(1).max(MAX_LISTED).default(20) }),
    run: async (client, { limit }) => {
      const { is_enabled, incidents } = await client.request({ type: "request_incidents", limit });
      return { is_enabled, incidents: incidents.map(inShort) };
    },
  }),
  tool({
    name: "get_incident",
    title: "An incident in detail",
    description:
      "One incident with its causes, hosts, clocks and what is missing, and the last entries of the manager's log until its first cause.",
    input: z.object({ id }),
    run: async (client, { id }) => {
      const { incidents } = await client.request({ type: "request_incidents", limit: MAX_LISTED });
      const incident = incidents.find((each) => each.id === id);
      if (incident === undefined) throw new MgrError("not_found", `there is no incident '${id}': list_incidents lists them`);
      const { entries } = await client.request({ type: "request_logs", level: "info", limit: MAX_SEARCHED });
      return { incident, log: logUntilCause(entries, incident) };
    },
  }),
  tool({
    name: "read_incident_output",
    title: "The output of a process in an incident",
    description:
      "The last lines of a process's terminal as they were in an incident until a time, as plain text. Ask for the time of a cause to see what was shown then.",
    input: z.object({
      id,
      name: z.string().min(1).max(255).describe("Name of a process, such as sim/camera."),
      until: z.string().max(32).describe("UTC, such as 2026-11-21T08:14:02.123; default: the end of the incident.").optional(),
      lines: z.int().min(1).max(MAX_LINES).default(100),
    }),
    run: async (client, { id, name, until, lines }) => {
      const { text, is_cut } = await client.request({
        type: "request_incident_output",
        id,
        name,
        ...(until === undefined ? {} : { until }),
      });
      const shown = plain(text);
      const output = lastLines(shown, lines);
      return { id, name, output, is_cut: is_cut || output.length < shown.length };
    },
  }),
  tool({
    name: "keep_snapshot",
    title: "Keep a snapshot of all hosts",
    description: "Keeps the last 30 seconds of all hosts as an incident, with topics, terminals, states, load and the log. Gives its id.",
    input: z.object({ note: z.string().max(MAX_NOTE_CHARS).describe("Why, in a sentence for a person.").default("") }),
    changes: true,
    run: async (client, { note }) => {
      const { id } = await client.request({ type: "keep_incident", ...(note === "" ? {} : { note }) });
      return { id };
    },
  }),
];

/** The last lines of a text; the last one may be without its end. */
export function lastLines(text: string, lines: number): string {
  const all = text.split("\n");
  return all.slice(-(all.at(-1) === "" ? lines + 1 : lines)).join("\n");
}

/** The last entries from the beginning of an incident until its first cause. `entries`: oldest first. */
export function logUntilCause<Entry extends { readonly ts: string }>(
  entries: readonly Entry[],
  { from, time }: Pick<Incident, "from" | "time">,
): Entry[] {
  return entries.filter(({ ts }) => ts >= from && ts <= time).slice(-MAX_ENTRIES);
}

function inShort({ id, state, time, triggers, note, by, hosts, missing }: Incident): object {
  return { id, state, time, causes: triggers.map(({ text }) => text), note, by, hosts: hosts.map(({ host }) => host), missing };
}
