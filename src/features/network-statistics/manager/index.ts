import type { ManagerFeature } from "../../../app/feature.ts";
import { messageOf, wireCode } from "../../../base/errors.ts";
import { json } from "../../../http/archive/archive-parts.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { dataPlane } from "../../data-plane/manager/index.ts";
import { networkHandlers } from "./handlers.ts";
import { ManagerNetwork } from "./manager-network.ts";
import { networkMetrics } from "./metrics.ts";
import type { Network } from "./network.ts";
import { watchNetworkProblems } from "./network-conditions.ts";

/** Traffic between hosts and programs. */
export const networkStatistics: ManagerFeature<Network> = {
  name: "network-statistics",
  attach({ bus, clock, conditions, config, hostName, hosts, named, use }) {
    const service = new ManagerNetwork({
      host: hostName,
      clock,
      hosts,
      tables: use(dataPlane).tables,
      hub: bus.hub,
      peers: bus.peers,
      networks: () => config().networks,
      named,
    });
    conditions.addSource(() => watchNetworkProblems({ clock, conditions, network: service }));
    return { service, ...networkExtension(service), close: () => service.close() };
  },
};

/** Length of the measurement in an archive, seconds. */
const ARCHIVED_SECONDS = 1;

export function networkExtension(network: Network): FeatureExtension {
  return {
    transport: { handlers: networkHandlers(network) },
    http: {
      metrics: networkMetrics(network),
      brokers: async () => (await network.totals().catch(() => null))?.brokers ?? [],
      async *archiveParts() {
        yield { name: "network.json", content: json(await measured(network)) };
      },
    },
  };
}

/** Traffic of one second, and the networks. */
async function measured(network: Network): Promise<object> {
  try {
    const stats = await network.stats({ seconds: ARCHIVED_SECONDS, mode: "interval" });
    return { ok: true, stats, topology: await network.topology() };
  } catch (error) {
    return { ok: false, code: wireCode(error), message: messageOf(error) };
  }
}
