import { withManager, withManagerUntilInterrupted } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { jsonText, printJson } from "../../../cli/output/table.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import type { NetworkStats, NetworkTopology } from "../wire.ts";
import { tcpText, topologyText, trafficText } from "./tables.ts";

export interface NetFlags extends ConnectionFlags {
  json?: boolean;
  watch?: boolean;
  /** Length of one measurement, seconds. */
  seconds: number;
}

/** Time that the manager has for its answer after the measurement, milliseconds. */
const MARGIN_MS = 15_000;

/** `mgr net`: traffic between hosts, and what is wrong with it. */
export async function net(flags: NetFlags): Promise<void> {
  await withManagerUntilInterrupted(flags, async (client, interrupted) => {
    do {
      const stats = await measured(client, flags.seconds);
      if (flags.json) process.stdout.write(`${jsonText(stats, { oneLine: flags.watch ?? false })}\n`);
      else process.stdout.write(`${flags.watch && process.stdout.isTTY ? "\x1b[H\x1b[2J" : ""}${trafficText(stats)}\n`);
    } while (flags.watch && !interrupted.aborted);
  });
}

async function measured(client: ManagerClient, seconds: number): Promise<NetworkStats> {
  const answer = await client.request(
    { type: "request_network_stats", sample_seconds: seconds, sample_mode: "interval" },
    { timeout: seconds * 1_000 + MARGIN_MS },
  );
  return answer.stats;
}

/** `mgr net topology`: networks, the interfaces in them, and gateways. */
export async function netTopology(flags: ConnectionFlags & { json?: boolean }): Promise<void> {
  await withManager(flags, async (client) => {
    const { topology }: { topology: NetworkTopology } = await client.request({ type: "request_network_topology" });
    if (flags.json) printJson(topology);
    else process.stdout.write(`${topologyText(topology)}\n`);
  });
}

/** `mgr net tcp HOST`: TCP connections of a host's programs. */
export async function netTcp(host: string, flags: ConnectionFlags & { json?: boolean }): Promise<void> {
  await withManager(flags, async (client) => {
    const { connections } = await client.request({ type: "request_tcp_connections", host });
    if (flags.json) printJson(connections);
    else process.stdout.write(`${tcpText(connections)}\n`);
  });
}
