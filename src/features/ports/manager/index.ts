import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { type FindPorts, findPorts } from "./ports.ts";

/** The ports on which processes listen. */
export const ports: ManagerFeature<null> = {
  name: "ports",
  attach: (core) => ({ service: null, ...portsExtension(findPorts(core)) }),
};

export function portsExtension(find: FindPorts): FeatureExtension {
  return {
    transport: {
      handlers: {
        request_ports: {
          kind: "request",
          answer: async ({ name = null }, { view }) => [{ type: "ports", ...(await find(name, view)) }],
        },
      },
    },
  };
}
