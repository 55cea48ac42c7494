import type { Pages } from "../../../cli/command/feature.ts";

export const KEPT_PAGES: Pages = {
  "topic kept": {
    about: `Hosts keep samples of the topics of 'store_forward' while their link is cut, and send them when it is back. KEPT are the samples that
wait, OLDEST is the age of the first of them; SENT and DROPPED are samples since the start of the host's daemon. A host whose link is cut cannot be asked. See
docs/store-forward.md.`,
    json: "the fields of the frame kept_samples (docs/protocol.md)",
    completes: { name: ["topic"] },
    examples: [
      ["mgr topic kept", "all topics of all hosts"],
      ["mgr topic kept arm/state", "one topic"],
    ],
  },
};
