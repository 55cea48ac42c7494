import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr net`. */
export const NET_PAGES: Pages = {
  net: {
    about: `SENT is counted where it is sent, RECEIVED where it arrives: what is missing was lost between. Links are between programs' hosts, whatever
way packets take; interfaces count all packets of the machine. A host that does not answer has no rates and is a problem. See docs/network.md.`,
    json: "the field stats of the frame network_stats (docs/protocol.md); with --watch one object per line",
    examples: [
      ["mgr net", "measure for two seconds"],
      ["mgr net --watch --seconds 1", "go on, once a second"],
    ],
  },
  "net topology": {
    about:
      "Networks have the names of the configuration ('networks'); others are found by the addresses of hosts, and have these as names.",
    json: "the field topology of the frame network_topology (docs/protocol.md)",
    examples: [["mgr net topology", "networks, interfaces, gateways"]],
  },
  "net tcp": {
    about:
      "HOST is any name of the host. The daemon sees the programs of its own user, as root those of all. It needs the program ss (iproute2) there.",
    json: "an array of connections (docs/protocol.md, 'TcpConnection')",
    completes: { host: ["host"] },
    examples: [["mgr net tcp localhost", "connections of this machine"]],
  },
};
