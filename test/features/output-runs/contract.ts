import { arrayOf, oneOf, optional, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, route, row } from "../../contract/rows.ts";

export const outputRunsContract: FeatureContract = {
  clientFrames: { request_output_ends: row({ after: optional("string") }, "output_ends") },
  managerFrames: { output_ends: event({ ends: arrayOf(table("output end")), next: "string" }) },
  resources: { "output end": { name: "string", offset: "integer", stream_id: "string" } },
  routes: [
    // Without a query there is nothing to send.
    route(
      ["GET", "/mgr/output"],
      { name: "string", group: "string", run: "integer", format: oneOf("text", "raw"), lines: "integer" },
      "text/plain",
      { status: 400 },
    ),
  ],
};
