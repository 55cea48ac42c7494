import { until } from "../../../base/timing/wait.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { whileConnected, withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { printJson } from "../../../cli/output/table.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import { MAX_LISTED } from "../limits.ts";
import type { Incident } from "../wire.ts";
import { saveIncident } from "./incidents.ts";
import { incidentText } from "./tables.ts";

interface SnapshotFlags extends ConnectionFlags {
  readonly note?: string;
  readonly before: number;
  readonly after: number;
  readonly output?: string;
  readonly json?: boolean;
}

/** `mgr snapshot`: keeps what all hosts have recorded; returns when it is complete. */
export async function snapshot({ note, before, after, output, json, ...flags }: SnapshotFlags): Promise<void> {
  const incident = await withManager(flags, async (client) => {
    const seen = new Map<string, Incident>();
    let changed = () => {};
    const frames = client.frames$.subscribe((frame) => {
      if (frame.type === "incident_upsert") seen.set(frame.incident.id, frame.incident);
      if (frame.type === "incident_upsert") changed();
    });
    try {
      const { id } = await client.request({ type: "keep_incident", before, after, ...(note === undefined ? {} : { note }) });
      const known = await present(client, id);
      if (known !== undefined) seen.set(id, known);
      const isDone = () => {
        const now = seen.get(id);
        return now !== undefined && (now.state === "complete" || now.problem !== null);
      };
      const subscribe = (check: () => void) => {
        changed = check;
        return () => {
          changed = () => {};
        };
      };
      await whileConnected(client, (ended) => until(isDone, subscribe, ended));
      return seen.get(id);
    } finally {
      frames.unsubscribe();
    }
  });
  if (incident === undefined) throw new CommandFailure(EXIT.failed, "the incident was deleted while it was collected");
  if (json) printJson(incident);
  else process.stdout.write(`${incidentText(incident)}\n`);
  if (incident.problem !== null) throw new CommandFailure(EXIT.failed, incident.problem);
  if (output !== undefined) await saveIncident(incident, output, flags);
}

async function present(client: ManagerClient, id: string): Promise<Incident | undefined> {
  const { incidents } = await client.request({ type: "request_incidents", limit: MAX_LISTED });
  return incidents.find((each) => each.id === id);
}
