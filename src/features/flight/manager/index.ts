import type { AttachedFeature, ManagerCore, ManagerFeature } from "../../../app/feature.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { dataPlane } from "../../data-plane/manager/index.ts";
import { wallClockNs } from "../../data-plane/wall-clock.ts";
import { hostClocks } from "../../host-clocks/manager/index.ts";
import { mergeInWorker } from "../../recordings/manager/index.ts";
import type { Flight } from "./flight.ts";
import { flightHandlers } from "./handlers.ts";
import type { IncidentRecord } from "./incident-record.ts";
import { IncidentStore } from "./incident-store.ts";
import { ManagerFlight } from "./manager-flight.ts";
import { NetworkTriggers } from "./network-triggers.ts";
import { incidentRoute } from "./route.ts";

export type { Flight } from "./flight.ts";
export { timeText } from "./incident-record.ts";

/** The flight recorder: what all hosts keep in rings, and the incidents that triggers and users make of it. */
export const flight: ManagerFeature<Flight> = {
  name: "flight",
  async open({ files, warn }) {
    try {
      const store = new IncidentStore(files.dir, warn);
      const incidents = await store.load();
      return (core) => attached(core, store, incidents);
    } catch (error) {
      warn(`incidents cannot be kept: ${messageOf(error)}`);
      return flight.attach;
    }
  },
  attach: () => ({ service: NO_FLIGHT, ...flightExtension(NO_FLIGHT) }),
};

export function flightExtension(service: Flight): FeatureExtension {
  return {
    transport: { handlers: flightHandlers(service) },
    http: {
      names: { incident: () => service.list().map(({ id, triggers }) => ({ name: id, about: triggers[0]?.text ?? "" })) },
      routes: ({ followers }) => [incidentRoute(service, followers)],
    },
  };
}

const refused = async () => {
  throw new MgrError("conflict", "this manager keeps no incidents: it has no state folder, or cannot use it (see its log)");
};
const NO_FLIGHT: Flight = {
  isEnabled: false,
  list: () => [],
  hosts: async () => ({ hosts: [], away: [] }),
  clocks: () => [],
  keep: refused,
  pin: refused,
  delete: refused,
  output: refused,
  open: refused,
};

function attached(core: ManagerCore, store: IncidentStore, incidents: readonly IncidentRecord[]): AttachedFeature<Flight> {
  const { clock, conditions, config, events, hostName, hosts, log, use } = core;
  const settings = () => config().flight;
  const service = new ManagerFlight({
    clock,
    hosts,
    clocks: use(hostClocks),
    events,
    log,
    localHost: hostName,
    settings,
    store,
    incidents,
    merge: mergeInWorker,
    now: wallClockNs,
  });
  const network = new NetworkTriggers({ clock, conditions, settings, flight: service });
  const unsubscribe = use(dataPlane).uses.subscribe(({ kind, value }) => service.note(kind, value));
  return {
    service,
    ...flightExtension(service),
    reconfigured() {
      service.reconfigure();
      network.reconfigure();
    },
    close() {
      unsubscribe();
      network.close();
      return service.close();
    },
  };
}
