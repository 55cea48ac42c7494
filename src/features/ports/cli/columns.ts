import type { ProcessFigures } from "../../../cli/command/feature.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import type { Process } from "../../../protocol/resources/resources.ts";
import { portTexts } from "../port-text.ts";
import type { ProcessPorts } from "../wire.ts";

/** A list of processes does not wait longer, milliseconds: a host may be slow to answer. */
const MAX_WAIT_MS = 6_000;

/** The column of `mgr ps --ports`. A host that could not be asked, and processes of other users, are "?". */
export async function portColumns(client: Pick<ManagerClient, "request">): Promise<ProcessFigures> {
  const { processes } = await client.request({ type: "request_ports" }, { timeout: MAX_WAIT_MS }).catch(() => ({ processes: [] }));
  const known = new Map<string, ProcessPorts>(processes.map((each) => [each.name, each]));
  return {
    columns: [{ title: "PORTS", text: (process) => portsText(process, known.get(process.name)) }],
    json: ({ name }) => {
      const found = known.get(name);
      return { ports: found?.ports ?? null, ports_complete: found?.complete ?? false };
    },
  };
}

export function portsText({ pid }: Pick<Process, "pid">, found: Pick<ProcessPorts, "ports" | "complete"> | undefined): string {
  if (pid === null) return "-";
  if (found === undefined) return "?";
  const texts = portTexts(found.ports);
  if (!found.complete) texts.push("?");
  return texts.length === 0 ? "-" : texts.join(" ");
}
