import { arrayOf, oneOf, optional, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, row } from "../../contract/rows.ts";

export const portsContract: FeatureContract = {
  clientFrames: { request_ports: row({ name: optional("string") }, "ports") },
  managerFrames: { ports: event({ processes: arrayOf(table("process ports")), away: arrayOf("string") }) },
  seenElsewhere: ["listening port"],
  resources: {
    "process ports": { name: "string", host: "string", complete: "boolean", ports: arrayOf(table("listening port")) },
    "listening port": { protocol: oneOf("tcp", "udp"), address: "string", port: "integer", pid: "integer", own_network: "boolean" },
  },
};
