import { arrayOf, mapOf, nullable, oneOf, optional, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, result, row } from "../../contract/rows.ts";

const action = oneOf("stop", "restart");

export const mcpContract: FeatureContract = {
  clientFrames: {
    ask_confirmation: row({ name: "string", action, tool: "string", key: "string" }, "confirmation"),
    cancel_confirmation: row({ key: "string" }),
    follow_confirmations: row({}),
    answer_confirmation: row({ name: "string", id: "string", agent: "string", allow: "boolean" }),
    record_agent_call: row({ tool: "string", name: optional("string"), arguments: mapOf("anything") }),
  },
  managerFrames: {
    confirmation: result({ name: "string" }, { by: "string" }),
    confirmations: event({ confirmations: arrayOf(table("confirmation")) }),
  },
  resources: {
    confirmation: {
      id: "string",
      agent: "string",
      tool: "string",
      action,
      name: "string",
      host: "string",
      pid: nullable("integer"),
      asked: "timestamp",
      until: "timestamp",
    },
  },
};
