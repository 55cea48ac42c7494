import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr forward` and `mgr forwards`. */
export const FORWARD_PAGES: Pages = {
  forward: {
    about: `Listens on 127.0.0.1 of this machine, and passes each connection through the manager and the link of HOST to PORT on the loopback interface of that
host, and nowhere else. HOST is any name of a host of 'mgr hosts'; localhost is the manager's own. Without LOCAL_PORT it is PORT; 0 selects a free port.
It runs until Ctrl-C. When the manager is lost, it reconnects; connections that were open then end. When the host is lost, its connections end with the
reason, and new ones are refused until it is back.
Admins reach all ports, operators those below 'forward' of the configuration. See docs/forward.md.`,
    completes: { target: ["host"] },
    examples: [
      ["mgr forward 5433:bench:5432", "then, beside it: psql -h localhost -p 5433"],
      ["mgr forward 0:localhost:9229", "a debugger of the manager's host, on a free local port"],
    ],
    exitCodes: "1 if the manager refuses the forward, or closes it later",
  },
  forwards: {
    about: "RECEIVED and SENT are bytes from and to the program on the host. Operators close their own forwards, admins all.",
    json: "an array of Forward (docs/protocol.md)",
    examples: [
      ["mgr forwards", "who reaches which port"],
      ["mgr forwards --close 4f2a…", "close one, with its connections"],
    ],
  },
};
