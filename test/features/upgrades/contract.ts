import { nullable, optional } from "../../contract/field-types.ts";
import { type FeatureContract, result, row } from "../../contract/rows.ts";

/** docs/protocol.md, "Upgrades". */
export const upgradesContract: FeatureContract = {
  clientFrames: {
    request_versions: row({}, "versions"),
    upgrade_manager: row({}, "manager_upgraded"),
    upgrade_host: row({ host: "string", program: optional("string"), node: optional("string") }, "host_upgraded"),
  },
  managerFrames: {
    versions: result({}, { running: "string", installed: nullable("string"), problem: nullable("string") }),
    manager_upgraded: result({}, { from: "string", to: nullable("string"), problem: nullable("string") }),
    host_upgraded: result({ host: "string" }, { from: nullable("string"), to: nullable("string") }),
  },
  resources: {},
};
