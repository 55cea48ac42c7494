import { z } from "zod";
import { jsonValue, objectName } from "../../../protocol/frames/field-kinds.ts";
import { answer, change, clientFrames, managerFrames, result } from "../../../protocol/frames/frame-table.ts";

export const service = z
  .object({
    name: z.string(),
    interface: z.string(),
    provider: z.string().describe("Name of the providing client."),
    provider_host: z.string(),
    port: z.int().describe("TCP port of the bus endpoint that it uses; 0 for a unix socket."),
    unix_socket: z.string().nullable(),
  })
  .meta({ id: "Service" });
export type Service = z.infer<typeof service>;

export const serviceCommands = clientFrames("Services", {
  request_services: { fields: {}, answer: "services_snapshot", scope: "seen", role: "viewer", readOnly: true, meaning: "All services." },
  call_service: {
    fields: {
      name: objectName.describe("Name of a service."),
      endpoint: objectName.describe("Name of one of its endpoints."),
      request: jsonValue.describe("JSON value for the service."),
    },
    answer: "service_call_result",
    scope: "owned",
    role: "operator",
    meaning: "Calls a service and waits for its answer.",
  },
});

export const serviceFrames = managerFrames("Services", {
  services_snapshot: answer({ services: z.array(service) }, "All services."),
  service_upsert: change({ service }, "A service appeared or changed.", ({ service }) => `service:${service.name}`),
  service_remove: change({ name: z.string() }, "A service is no longer provided."),
  service_call_result: result({ name: z.string(), endpoint: z.string() }, { response: z.unknown() }, "Answer of a called service."),
});

export const serviceSnapshot = { services: z.array(service) };
