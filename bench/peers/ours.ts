import type { Client } from "../support/client.ts";
import { BenchManager } from "../support/manager.ts";
import type { LiveProcesses } from "./live-processes.ts";
import type { Peer } from "./peer.ts";

/** Manager and host daemon, started by `mgr up` and asked through a WebSocket. */
export function ours(processes: LiveProcesses): Peer {
  const names = Array.from({ length: processes.count }, (_, number) => `g/p${number}`);
  const restart = { policy: "always", delay: "0s", stable_after: "0s" };
  const settings = names.map((name, number) => [name, { command: processes.command(number), autostart: true, restart }] as const);
  let manager: BenchManager | null = null;
  let client: Client | null = null;
  const connected = async () => {
    client ??= (await manager?.connect()) ?? null;
    if (client === null) throw new Error("the manager is not up");
    return client;
  };
  return {
    up: async () => {
      manager = await BenchManager.up(Object.fromEntries(settings));
    },
    programs: () => manager?.programs() ?? [],
    stop: async () => {
      const asked = await connected();
      const stopped = asked.untilAll(names, "stopped");
      asked.send({ type: "stop_group", name: "g" });
      await stopped;
    },
    restart: async (number) => {
      await (await connected()).ask({ type: "restart_process", name: names[number] });
    },
    status: async () => {
      await (await connected()).ask({ type: "get_snapshot" });
    },
    [Symbol.asyncDispose]: async () => {
      await manager?.[Symbol.asyncDispose]();
    },
  };
}
