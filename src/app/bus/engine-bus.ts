import { deferredHostLink } from "../../bus/host-link/deferred-host-link.ts";
import type { EngineOptions } from "../engine-options.ts";
import type { ManagerBus } from "./manager-bus.ts";

/** The options of an engine whose manager has a bus. */
export function engineBus(bus: ManagerBus): Pick<EngineOptions, "connectHost" | "bus" | "tokens"> {
  const { shared, registry, peers, tokens } = bus;
  return {
    connectHost: (name) => deferredHostLink(shared, name),
    bus: {
      shared,
      connectUser: (user) => bus.connectUser(user),
      declareOwners: (owners) => bus.declareOwners(owners),
      registry,
      hub: bus,
      peers,
    },
    tokens,
  };
}
