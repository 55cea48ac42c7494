import { MgrError } from "../../../base/errors.ts";
import type { HostFeature } from "../../../daemon/host-feature.ts";
import { dataPlaneHost } from "../../data-plane/host/index.ts";
import { wallClockNs } from "../../data-plane/wall-clock.ts";
import { loadHistoryHost } from "../../load-history/host/index.ts";
import { networkHost } from "../../network-statistics/host/index.ts";
import { type FLIGHT_REQUESTS, NO_FLIGHT } from "../contract.ts";
import { FlightRecorder } from "./flight-recorder.ts";

/** Keeps the newest messages, output and states of the host in a ring, and what a trigger asks for. */
export const flightHost: HostFeature<keyof typeof FLIGHT_REQUESTS> = {
  name: "flight",
  begin({ host, clock, folders, lists, output, log, publish, taken, use }) {
    const recorder =
      folders === null
        ? null
        : new FlightRecorder({
            host,
            stateDir: folders.state,
            tap: use(dataPlaneHost),
            network: use(networkHost),
            clock,
            now: wallClockNs,
            pages: lists.pages,
            rings: output.rings,
            log,
            send: (event) => publish("flight_part", event),
            taken,
          });
    if (recorder !== null) {
      const { measurements } = use(loadHistoryHost);
      measurements.subscribe((name, figures) => recorder.measured(name, figures));
      measurements.subscribeMachine((figures) => recorder.machineMeasured(figures));
    }
    const own = () => {
      if (recorder === null) throw new MgrError("conflict", "this host keeps nothing: it has no state folder");
      return recorder;
    };
    return {
      service: null,
      handlers: {
        flight_configure: (request) => recorder?.configure(request) ?? {},
        flight_ring: async () => own().ring(),
        flight_keep: async (request) => own().keep(request),
        flight_parts: async () => recorder?.parts() ?? NO_FLIGHT.flight_parts,
        flight_read: async (request) => own().read(request),
        flight_delete: async (request) => own().delete(request),
        flight_notes: (request) => recorder?.note(request) ?? {},
      },
      ...(recorder === null
        ? {}
        : {
            heartbeat: () => ({ flight_seq: recorder.seq }),
            output: (name, bytes) => recorder.output(name, bytes),
            runChanged: (kind, run) => recorder.runChanged(kind, run),
            startFailed: (_runId, { name }, reason) => recorder.startFailed(name, reason),
            close: () => recorder.close(),
            quiet: () => recorder.quiet(),
            handOver: () => recorder.handOver(),
            resume: () => recorder.resume(),
          }),
    };
  },
};
