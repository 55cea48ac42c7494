import type { Pages } from "../../../cli/command/feature.ts";

export const LATENCY_PAGES: Pages = {
  "topic latency": {
    about: `The broker of the publisher's host measures, from the time that the publisher states (header Mgr-Time) to receipt. If programs publish
in answer to other messages and say so ('cause' of the client libraries), the whole chain is measured, per message. Clocks of other hosts are corrected
by their measured offsets. JITTER is the standard deviation; RFC 3550 the interarrival jitter of that standard. See docs/latency.md.`,
    json: "the fields of the frame topic_latency (docs/protocol.md)",
    completes: { name: ["topic"], "--chain": ["topic"] },
    examples: [
      ["mgr topic latency arm/command", "with the chains that lead to it"],
      ["mgr topic latency arm/command --chain arm/sensor,arm/filtered --for 10", "one chain, for ten seconds"],
    ],
  },
};
