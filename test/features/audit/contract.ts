import { ERROR_CODES } from "../../contract/closed-values.ts";
import { arrayOf, mapOf, nullable, oneOf, optional, table } from "../../contract/field-types.ts";
import { type FeatureContract, result, row } from "../../contract/rows.ts";

/** docs/protocol.md, "Audit". */
export const auditContract: FeatureContract = {
  clientFrames: {
    request_audit: row(
      {
        user: optional("string"),
        command: optional("string"),
        names: optional(arrayOf("string")),
        since: optional("timestamp"),
        until: optional("timestamp"),
        before: optional("string"),
        limit: optional("integer"),
      },
      "audit_page",
    ),
  },
  managerFrames: {
    audit_page: result(
      {},
      { entries: arrayOf(table("audit entry")), before: nullable("string"), problem: nullable("string"), unrecorded: "integer" },
    ),
  },
  resources: {
    "audit entry": {
      id: "integer",
      time: "timestamp",
      user: "string",
      role: nullable(oneOf("viewer", "operator", "admin")),
      via: "string",
      client: nullable("string"),
      address: nullable("string"),
      command: "string",
      target: nullable("string"),
      args: mapOf("anything"),
      outcome: oneOf("accepted", "refused", "running", "unknown"),
      code: nullable(oneOf(...ERROR_CODES)),
      message: nullable("string"),
    },
  },
};
