import type { ManagerCore, ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { ClientIds } from "./client-ids.ts";
import type { DataPlane } from "./data-plane.ts";
import { dataPlaneHandlers } from "./handlers.ts";
import { ManagerDataPlane } from "./manager-data-plane.ts";

export { type ParameterType, parseParameter } from "../client/parameter-text.ts";
export type { KnownClient } from "./broker-tables.ts";
export type { DataPlaneTables } from "./data-plane-tables.ts";
export { isSeen } from "./granted-changes.ts";
export type { ManagerDataPlane, TopicPrograms } from "./manager-data-plane.ts";
export { EMPTY_STEP } from "./trace/walk.ts";

/** Clients, topics, services and parameters. */
export const dataPlane: ManagerFeature<ManagerDataPlane> = {
  name: "data-plane",
  async open({ files, warn }) {
    const ids = await ClientIds.open(files, warn);
    return (core) => attach(core, ids);
  },
  attach: (core) => attach(core, ClientIds.inMemory()),
};

function attach({ bus, clock, config, events, hostEntries, hosts, log, startProcess }: ManagerCore, ids: ClientIds) {
  const service = new ManagerDataPlane({
    events,
    log,
    clock,
    ids,
    hosts,
    hostEntries,
    registry: bus.registry,
    peers: bus.peers,
    bus: bus.shared,
    connectUser: bus.connectUser,
    hub: () =>
      bus.hub === null || bus.registry === null || config().instance.bus.length > 0
        ? null
        : { broker: bus.hub.broker, registry: bus.registry },
    oscilloscopeProcess: () => config().instance.scope_process,
    startProcess,
  });
  bus.declareOwners?.(service.tables.owners);
  return { service, ...dataPlaneExtension(service), close: () => service.close() };
}

export function dataPlaneExtension(service: DataPlane): FeatureExtension {
  return {
    http: {
      names: {
        topic: () => service.topics(null),
        service: () => service.services(null),
        parameter: async () => (await service.parameters("*", null)).parameters.map(({ name, service: about }) => ({ name, about })),
      },
    },
    transport: {
      handlers: dataPlaneHandlers(service),
      snapshot: ({ isFull, view }) => {
        const granted = view.kind === "granted" && view.within.kind === "full" ? view.grants : null;
        if (!isFull && granted === null) return { clients: [], topics: [], services: [] };
        return { clients: service.clients(granted), topics: service.topics(granted), services: service.services(granted) };
      },
      afterSnapshot: () => [
        { type: "services_snapshot", services: service.services(null) },
        ...service.topics(null).map((topic) => ({ type: "topic_upsert" as const, topic })),
      ],
      changeFor: (change, { grants }) => service.changeFor(change, grants),
    },
  };
}
