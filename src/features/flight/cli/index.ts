import type { CliFeature } from "../../../cli/command/feature.ts";
import { clockFigures } from "./host-clocks.ts";
import { FLIGHT_GROUP } from "./program.ts";

export const flightCli: CliFeature = {
  groups: [FLIGHT_GROUP],
  hostFigures: {
    about: `While the flight recorder is configured (docs/flight.md), OFFSET is the difference of the clocks as measured last, with its uncertainty;
--json has offset_ms and uncertainty_ms.`,
    read: (client) =>
      client.request({ type: "request_host_clocks" }).then(
        ({ clocks }) => clockFigures(clocks),
        // Users with roles on some processes may not ask.
        () => null,
      ),
  },
};
