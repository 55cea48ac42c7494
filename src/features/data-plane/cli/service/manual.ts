import type { Pages } from "../../../../cli/command/feature.ts";

/** Manual of `mgr service`. */
export const SERVICE_PAGES: Pages = {
  service: {
    about: "See 'mgr service COMMAND --help', and docs/clients.md for how programs offer services.",
    examples: [["mgr service list", "all services"]],
  },
  "service list": {
    about: "NAMES are services, the first parts of their names, or fnmatch patterns.",
    json: "an array of services (docs/protocol.md, 'Service')",
    completes: { names: ["service"] },
    examples: [["mgr service list", "all services"]],
  },
  "service info": {
    about: "Shows the JSON Schemas of requests and responses, if the provider publishes them.",
    json: "the service (docs/protocol.md, 'Service'), with interface as {name, endpoints: [{name, description, request, response}]}",
    completes: { name: ["service"] },
    examples: [["mgr service info arm/move_to", "endpoints and schemas"]],
  },
  "service call": {
    about: "REQUEST is JSON, by default {}. The response is printed as JSON. If the service answers with an error, its text is printed.",
    json: "the response in one line",
    completes: { name: ["service"] },
    examples: [["mgr service call arm/move_to '{\"position\": [0.5, 1]}'", "call the service"]],
    exitCodes: "2 if the service does not accept the request",
  },
};
