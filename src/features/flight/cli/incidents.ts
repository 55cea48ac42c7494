import { stat } from "node:fs/promises";
import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import { type ConnectionFlags, findTarget } from "../../../cli/manager/connection-target.ts";
import { httpGet, saveResponse } from "../../../cli/manager/http-get.ts";
import { printJson } from "../../../cli/output/table.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import { MAX_LISTED } from "../limits.ts";
import type { Incident } from "../wire.ts";
import { deletedText, flightHostsText, incidentList, incidentText, pinnedText } from "./tables.ts";

type JsonFlags = ConnectionFlags & { json?: boolean };

/** `mgr incidents [list]`. */
export async function incidentsList(flags: JsonFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { incidents, is_enabled } = await client.request({ type: "request_incidents", limit: MAX_LISTED });
    if (flags.json) return printJson(incidents);
    process.stdout.write(`${incidentList(incidents)}\n`);
    if (!is_enabled) process.stderr.write("mgr: the flight recorder is off: add 'flight:' to the configuration and reload it\n");
  });
}

/** `mgr incidents show ID`. */
export async function incidentShow(id: string, flags: JsonFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const incident = await findIncident(client, id);
    if (flags.json) printJson(incident);
    else process.stdout.write(`${incidentText(incident)}\n`);
  });
}

/** `mgr incidents save ID [FILE]`. */
export async function incidentSave(id: string, file: string | undefined, flags: ConnectionFlags): Promise<void> {
  const incident = await withManager(flags, (client) => findIncident(client, id));
  const path = file ?? `${incident.id}.mcap`;
  await saveIncident(incident, path, flags);
  process.stdout.write(`${visible(path)}\n`);
}

/** `mgr incidents pin ID…` and `unpin`. */
export async function incidentsPin(ids: string[], isPinned: boolean, flags: ConnectionFlags): Promise<void> {
  await withManager(flags, async (client) => {
    for (const { id } of await findIncidents(client, ids)) {
      await client.request({ type: "pin_incident", id, is_pinned: isPinned });
      process.stdout.write(`${pinnedText(id, isPinned)}\n`);
    }
  });
}

/** `mgr incidents rm ID…`. */
export async function incidentsRemove(ids: string[], flags: ConnectionFlags): Promise<void> {
  await withManager(flags, async (client) => {
    for (const { id } of await findIncidents(client, ids)) {
      await client.request({ type: "delete_incident", id });
      process.stdout.write(`${deletedText(id)}\n`);
    }
  });
}

/** `mgr incidents hosts`. */
export async function flightHosts(flags: JsonFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { hosts, away } = await client.request({ type: "request_flight_hosts" });
    if (flags.json) printJson({ hosts, away });
    else process.stdout.write(`${flightHostsText(hosts, away)}\n`);
  });
}

/** Downloads the file of an incident. Nothing is overwritten. */
export async function saveIncident({ id }: Incident, path: string, flags: ConnectionFlags): Promise<void> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  if (isThere) throw new CommandFailure(EXIT.failed, `${path} exists: remove it, or choose another name`);
  await saveResponse(await httpGet(await findTarget(flags), `/mgr/incident?${new URLSearchParams({ id })}`), path);
}

async function findIncident(client: ManagerClient, id: string): Promise<Incident> {
  const [incident] = await findIncidents(client, [id]);
  if (incident === undefined) throw notFound(id);
  return incident;
}

/** The incidents with these ids, or with ids that begin so, if that is clear. All are found before anything is done. */
async function findIncidents(client: ManagerClient, ids: readonly string[]): Promise<Incident[]> {
  const { incidents } = await client.request({ type: "request_incidents", limit: MAX_LISTED });
  return ids.map((word) => {
    const exact = incidents.find(({ id }) => id === word);
    const begun = incidents.filter(({ id }) => id.startsWith(word));
    if (exact === undefined && begun.length > 1)
      throw new CommandFailure(EXIT.usage, `'${word}' is the beginning of ${begun.length} incidents: give more of the id`);
    const found = exact ?? begun[0];
    if (found === undefined) throw notFound(word);
    return found;
  });
}

const notFound = (id: string) => new CommandFailure(EXIT.notFound, `there is no incident '${id}': 'mgr incidents' lists them`);
