import type { ManagerClient } from "../../../client/manager-client.ts";
import type { ProcessLoad } from "../../../protocol/resources/resources.ts";

/** Maximum time that a list of processes waits for loads, milliseconds: a host may be slow to answer. */
const MAX_LOADS_MS = 3_000;

export type Loads = ReadonlyMap<string, ProcessLoad>;

/** CPU and memory of the processes; null if the manager does not know the request or does not answer in time. */
export async function loadsOf(client: Pick<ManagerClient, "request">): Promise<Loads | null> {
  const answer = await client.request({ type: "request_process_loads" }, { timeout: MAX_LOADS_MS }).catch(() => null);
  return answer === null ? null : new Map(answer.loads.map((load) => [load.name, load]));
}
