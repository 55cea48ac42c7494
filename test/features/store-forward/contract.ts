import { arrayOf, nullable, oneOf, optional, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, row } from "../../contract/rows.ts";

/** docs/store-forward.md. */
export const storeForwardContract: FeatureContract = {
  clientFrames: { request_kept_samples: row({ name: optional("string") }, "kept_samples") },
  managerFrames: {
    kept_samples: event({ is_named: "boolean", topics: arrayOf(table("kept topic")), other_topics: "integer", away: arrayOf("string") }),
  },
  // It needs a link that was cut: test/features/store-forward/manager/kept-samples.test.ts.
  seenElsewhere: ["kept topic"],
  resources: {
    "kept topic": {
      topic: "string",
      host: "string",
      state: oneOf("empty", "link_cut", "no_subscriber", "unconfirmed", "share_used", "sending"),
      wait_ms: nullable("number"),
      samples: "integer",
      bytes: "integer",
      oldest_age_ms: nullable("number"),
      sent: "integer",
      dropped: "integer",
    },
  },
};
