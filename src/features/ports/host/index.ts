import type { HostFeature } from "../../../daemon/host-feature.ts";
import type { PORT_REQUESTS } from "../contract.ts";
import { scanPorts } from "./port-scan.ts";

/** Finds the ports on which processes of the host listen. */
export const portsHost: HostFeature<keyof typeof PORT_REQUESTS> = {
  begin: ({ clock, lists, owners }) => ({
    service: null,
    handlers: {
      listening_ports: ({ names }) =>
        lists.run(async (work) => {
          const rows = lists.pages.open();
          const wanted = names === null ? null : new Set(names);
          await work.run(scanPorts({ clock, owners: owners(), names: wanted, add: rows.add }));
          return rows.end();
        }),
    },
  }),
};
