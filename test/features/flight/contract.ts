import { arrayOf, nullable, oneOf, optional, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, result, route, row } from "../../contract/rows.ts";

/** docs/flight.md. */
export const flightContract: FeatureContract = {
  clientFrames: {
    request_incidents: row({ limit: optional("integer") }, "incidents_snapshot"),
    request_incident_output: row({ id: "string", name: "string", until: optional("timestamp") }, "incident_output"),
    request_flight_hosts: row({}, "flight_hosts"),
    request_host_clocks: row({}, "host_clocks"),
    keep_incident: row({ note: optional("string"), before: optional("integer"), after: optional("integer") }, "incident_action_result"),
    pin_incident: row({ id: "string", is_pinned: "boolean" }, "incident_action_result"),
    delete_incident: row({ id: "string" }, "incident_action_result"),
  },
  managerFrames: {
    incidents_snapshot: event({ is_enabled: "boolean", incidents: arrayOf(table("incident")) }),
    incident_output: result({ id: "string", name: "string" }, { text: "string", is_cut: "boolean" }),
    flight_hosts: result({}, { hosts: arrayOf(table("flight host")), away: arrayOf("string") }),
    host_clocks: event({ clocks: arrayOf(table("host clock")) }),
    incident_upsert: event({ incident: table("incident") }),
    incident_remove: event({ id: "string" }),
    incident_action_result: result({ action: oneOf("keep", "pin", "delete"), id: optional("string") }, { id: "string" }),
  },
  resources: {
    incident: {
      id: "string",
      state: oneOf("recording", "collecting", "complete"),
      problem: nullable("string"),
      time: "timestamp",
      from: "timestamp",
      until: "timestamp",
      triggers: arrayOf(table("incident trigger")),
      note: "string",
      by: nullable("string"),
      is_pinned: "boolean",
      hosts: arrayOf(table("incident host")),
      missing: arrayOf("string"),
      messages: "integer",
      size: "integer",
    },
    "incident trigger": { trigger: "string", text: "string", host: nullable("string"), time: "timestamp", fired: "integer" },
    "incident host": {
      host: "string",
      state: oneOf("away", "recording", "collecting", "merged", "absent"),
      offset_ms: nullable("number"),
      uncertainty_ms: nullable("number"),
      reaches: nullable("timestamp"),
      missing: arrayOf("string"),
      messages: "integer",
      size: "integer",
    },
    "host clock": { host: "string", offset_ms: nullable("number"), uncertainty_ms: nullable("number") },
    "flight host": {
      host: "string",
      bytes: "integer",
      disk_bytes: "integer",
      messages: "integer",
      oldest: nullable("timestamp"),
      newest: nullable("timestamp"),
      offset_ms: nullable("number"),
      uncertainty_ms: nullable("number"),
    },
  },
  routes: [
    // Without a query there is nothing to send.
    route(["GET", "/mgr/incident"], { id: "string" }, "text/plain", { status: 400 }),
  ],
};
