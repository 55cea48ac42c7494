import type { Clock } from "../../base/clock.ts";
import { resolvesWithin } from "../../base/wait.ts";
import type { HostTable } from "../hosts/host-table.ts";
import type { ProcessRegistry } from "./process-registry.ts";

interface RemoteProcesses {
  readonly registry: ProcessRegistry;
  readonly hosts: HostTable;
  readonly clock: Clock;
}

/** Kills everything on other hosts. Resolves when the hosts have accepted, after `milliseconds` at most. */
export async function killRemote({ registry, hosts, clock }: RemoteProcesses, milliseconds: number): Promise<void> {
  const steps = [{ signal: "SIGKILL", timeout_ms: milliseconds }];
  const requests = registry.names().flatMap((name) => {
    const runId = registry.livingRun(name);
    const host = registry.hostOf(name);
    const session = hosts.session(host);
    if (runId === null || session?.isOpen !== true || host === registry.hostName) return [];
    return [session.command((id) => session.link.request("stop", { session: id, run_id: runId, steps }))];
  });
  await resolvesWithin(Promise.allSettled(requests), milliseconds, clock);
}
