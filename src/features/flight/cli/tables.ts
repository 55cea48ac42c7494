import { visible } from "../../../base/text/visible-text.ts";
import { type Colour, type Column, paint, table } from "../../../cli/output/table.ts";
import { clockOffsetText } from "../../../client/shown/clock-offset.ts";
import { bytesText } from "../../../client/shown/units.ts";
import type { FlightHost, Incident, IncidentHost, IncidentTrigger } from "../wire.ts";

const STATE_COLOURS: Record<Incident["state"], Colour> = { recording: "green", collecting: "cyan", complete: "grey" };

export function incidentList(incidents: Incident[]): string {
  return table<Incident>(
    [
      { title: "INCIDENT", text: ({ id }) => id },
      { title: "STATE", text: ({ state }) => state, paint: ({ state }, padded) => paint(STATE_COLOURS[state], padded) },
      { title: "SIZE", text: ({ size }) => bytesText(size), right: true },
      { title: "HOSTS", text: ({ hosts }) => `${hosts.filter(({ state }) => state === "merged").length}/${hosts.length}`, right: true },
      { title: "MISSING", text: ({ missing }) => String(missing.length), right: true },
      { title: "PINNED", text: ({ is_pinned }) => (is_pinned ? "yes" : "") },
      { title: "CAUSE", text: ({ note, triggers }) => note || (triggers[0]?.text ?? "") },
    ],
    incidents,
  );
}

/** One incident with its triggers, hosts and what is missing. */
export function incidentText(incident: Incident): string {
  const { id, state, problem, note, time, from, until, size, messages, triggers, hosts, missing } = incident;
  return [
    fact("incident", id),
    fact("state", problem === null ? state : `${state}: ${problem}`),
    ...(note === "" ? [] : [fact("note", note)]),
    fact("time", `${time} UTC`),
    fact("recorded", `${from} to ${until} UTC`),
    fact("file", size === 0 ? "none yet" : `${bytesText(size)}, ${messages} messages`),
    fact("pinned", incident.is_pinned ? "yes" : "no"),
    "",
    table<IncidentTrigger>(TRIGGER_COLUMNS, triggers),
    "",
    table<IncidentHost>(HOST_COLUMNS, hosts),
    ...missing.map((each) => paint("yellow", visible(`missing: ${each}`))),
  ].join("\n");
}

export function flightHostsText(hosts: FlightHost[], away: readonly string[]): string {
  const text = table<FlightHost>(
    [
      { title: "HOST", text: ({ host }) => host },
      { title: "MEMORY", text: ({ bytes }) => bytesText(bytes), right: true },
      { title: "DISK", text: ({ disk_bytes }) => bytesText(disk_bytes), right: true },
      { title: "MESSAGES", text: ({ messages }) => String(messages), right: true },
      { title: "OLDEST", text: ({ oldest }) => oldest ?? "-" },
      CLOCK_COLUMN,
    ],
    hosts,
  );
  return [text, ...away.map((host) => paint("yellow", visible(`not asked, because it is not connected: ${host}`)))].join("\n");
}

export const deletedText = (id: string): string => visible(`${id}: deleted`);
export const pinnedText = (id: string, isPinned: boolean): string => visible(`${id}: ${isPinned ? "pinned" : "not pinned"}`);

function fact(title: string, text: string): string {
  return `${paint("bold", title.padEnd(12))} ${visible(text)}`;
}

const CLOCK_COLUMN: Column<Pick<FlightHost, "offset_ms" | "uncertainty_ms">> = { title: "OFFSET", text: clockOffsetText, right: true };

const TRIGGER_COLUMNS: Column<IncidentTrigger>[] = [
  { title: "TRIGGER", text: ({ trigger }) => trigger },
  { title: "TIME", text: ({ time }) => time },
  { title: "FIRED", text: ({ fired }) => String(fired), right: true },
  { title: "HOST", text: ({ host }) => host ?? "manager" },
  { title: "CAUSE", text: ({ text }) => text },
];

const HOST_COLUMNS: Column<IncidentHost>[] = [
  { title: "HOST", text: ({ host }) => host },
  { title: "STATE", text: ({ state }) => state },
  { title: "SIZE", text: ({ size }) => bytesText(size), right: true },
  { title: "MESSAGES", text: ({ messages }) => String(messages), right: true },
  { title: "REACHES", text: ({ reaches }) => reaches ?? "-" },
  CLOCK_COLUMN,
];
