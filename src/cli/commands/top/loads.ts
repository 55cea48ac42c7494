import type { ManagerClient } from "../../../client/manager-client.ts";
import type { Load } from "./model.ts";

/** A managed process has a name. */
const MANAGED = "process:!=:";

/** What the processes of `hosts` use, each with everything below it. A host that is away has none. */
export async function loadsOf(client: ManagerClient, hosts: readonly string[]): Promise<Map<string, Load>> {
  const loads = new Map<string, Load>();
  await Promise.all(hosts.map((host) => addLoads(client, host, loads)));
  return loads;
}

async function addLoads(client: ManagerClient, host: string, loads: Map<string, Load>): Promise<void> {
  const list = await client.request({ type: "request_process_list", host, filter: MANAGED }).catch(() => null);
  if (list === null || !list.ok) return;
  const at = (name: string) => list.columns.findIndex((column) => column.name === name);
  const [cpuAt, memoryAt] = [at("cpu_percent"), at("memory_rss")];
  for (const { process, cells } of list.rows) {
    if (process === null) continue;
    const { cpu, memory } = loads.get(process) ?? { cpu: 0, memory: 0 };
    loads.set(process, { cpu: cpu + Number(cells[cpuAt]?.raw ?? 0), memory: memory + Number(cells[memoryAt]?.raw ?? 0) });
  }
}
