import { arrayOf, nullable, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, route, row } from "../../contract/rows.ts";

export const forwardContract: FeatureContract = {
  clientFrames: { request_forwards: row({}, "forwards"), close_forward: row({ id: "string" }) },
  managerFrames: { forwards: event({ forwards: arrayOf(table("forward")) }) },
  seenElsewhere: ["forward"],
  resources: {
    forward: {
      id: "string",
      user: "string",
      address: nullable("string"),
      host: "string",
      port: "integer",
      opened: "timestamp",
      host_ready: "boolean",
      connections: "integer",
      total_connections: "integer",
      received: "integer",
      sent: "integer",
      problem: nullable("string"),
    },
  },
  routes: [
    route(["GET", "/mgr/forward/ws"], { host: "string", port: "integer", forward: "string" }, null, { status: 101 }),
    route(["GET", "/mgr/forward/web"], { host: "string" }, "application/json"),
  ],
};
