import { parseTime } from "../../../protocol/time.ts";
import type { HandlerTable } from "../../../transport/handlers/handler.ts";
import type { flightCommands } from "../wire.ts";
import type { Flight } from "./flight.ts";

export function flightHandlers(flight: Flight): HandlerTable<keyof typeof flightCommands> {
  return {
    request_incidents: {
      kind: "request",
      answer: ({ limit }) => [{ type: "incidents_snapshot", is_enabled: flight.isEnabled, incidents: flight.list(limit) }],
    },
    request_incident_output: {
      kind: "request",
      answer: async ({ id, name, until }) => {
        const output = await flight.output(id, name, until === undefined ? null : parseTime(until));
        return [{ type: "incident_output", ok: true, id, name, ...output }];
      },
    },
    request_flight_hosts: {
      kind: "request",
      answer: async () => [{ type: "flight_hosts", ok: true, ...(await flight.hosts()) }],
    },
    request_host_clocks: {
      kind: "request",
      answer: () => [{ type: "host_clocks", clocks: flight.clocks() }],
    },
    keep_incident: {
      kind: "request",
      answer: async ({ type: _type, request_id: _id, ...request }, { principal }) => [
        { type: "incident_action_result", ok: true, action: "keep", id: await flight.keep(request, principal.user) },
      ],
    },
    pin_incident: {
      kind: "request",
      answer: async ({ id, is_pinned }, { principal }) => {
        await flight.pin(id, is_pinned, principal.user);
        return [{ type: "incident_action_result", ok: true, action: "pin", id }];
      },
    },
    delete_incident: {
      kind: "request",
      answer: async ({ id }, { principal }) => {
        await flight.delete(id, principal.user);
        return [{ type: "incident_action_result", ok: true, action: "delete", id }];
      },
    },
  };
}
