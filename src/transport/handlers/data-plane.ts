import type { HandlerTable } from "./handler.ts";

type Types = "request_clients" | "request_topics" | "request_services";

export const dataPlaneHandlers: HandlerTable<Types> = {
  request_clients: {
    kind: "request",
    answer: (_frame, { control }) => [{ type: "clients_snapshot", clients: control.dataPlane.clients() }],
  },
  request_topics: {
    kind: "request",
    answer: (_frame, { control }) => [{ type: "topics_snapshot", topics: control.dataPlane.topics() }],
  },
  request_services: {
    kind: "request",
    answer: (_frame, { control }) => [{ type: "services_snapshot", services: control.dataPlane.services() }],
  },
};
