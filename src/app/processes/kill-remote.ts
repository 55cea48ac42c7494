import type { Clock } from "../../base/timing/clock.ts";
import { resolvesWithin } from "../../base/timing/wait.ts";
import type { HostTable } from "../hosts/host-table.ts";
import type { ProcessTable } from "./process-table.ts";

interface RemoteProcesses {
  readonly processTable: ProcessTable;
  readonly hosts: HostTable;
  readonly clock: Clock;
}

/** Kills everything on other hosts. Resolves when the hosts have accepted, after `milliseconds` at most. */
export async function killRemote({ processTable, hosts, clock }: RemoteProcesses, milliseconds: number): Promise<void> {
  const steps = [{ signal: "SIGKILL", timeout_ms: milliseconds }];
  const requests = processTable.names().flatMap((name) => {
    const runId = processTable.livingRun(name);
    const host = processTable.hostOf(name);
    const session = hosts.session(host);
    if (runId === null || session?.isOpen !== true || host === processTable.hostName) return [];
    return [session.command((id) => session.link.request("stop", { session: id, run_id: runId, steps }))];
  });
  await resolvesWithin(Promise.allSettled(requests), milliseconds, clock);
}
