import { z } from "zod";
import { flag, integer, objectName, parameterValue, pattern } from "../../../protocol/frames/field-kinds.ts";
import { answer, clientFrames, managerFrames, result } from "../../../protocol/frames/frame-table.ts";

const parameter = z
  .object({
    id: z.string().describe("provider_id, service and name joined by `:`."),
    name: z.string(),
    service: z.string(),
    provider: z.string(),
    provider_id: z.int(),
    description: z.string(),
    input: z.string().describe("Formatted value that goes in."),
    output: z.string().describe("Formatted value that is in effect."),
    override_value: z.string(),
    override_enabled: z.boolean(),
    type: z.string().describe("`float`, `int`, `bool` or `string`; empty if the provider does not say."),
    unit: z.string(),
    minimum: z.number().nullable(),
    maximum: z.number().nullable(),
  })
  .meta({ id: "Parameter" });
export type Parameter = z.infer<typeof parameter>;

const naming = {
  service: objectName.describe("Name of a service."),
  provider_id: integer(0, Number.MAX_SAFE_INTEGER).describe("Id of the providing client."),
  parameter: objectName.describe("Name of a parameter."),
};

export const parameterCommands = clientFrames("Parameters", {
  request_parameters: {
    fields: { pattern: pattern.describe("fnmatch pattern for `<name>` and `<service>:<name>`; `*` matches all.") },
    answer: "parameters_snapshot",
    scope: "seen",
    role: "viewer",
    readOnly: true,
    meaning: "The parameters that match.",
  },
  set_parameter_override: {
    fields: {
      ...naming,
      enabled: flag.describe("false keeps the value for later."),
      value: parameterValue.describe("In the parameter's own formatting; empty is a value too."),
    },
    answer: "parameter_override_result",
    scope: "owned",
    role: "operator",
    meaning: "Overrides a parameter.",
  },
  open_parameter_scope: {
    fields: naming,
    answer: "parameter_open_scope_result",
    scope: "global",
    role: "operator",
    meaning: "Asks the provider for a topic of the parameter and opens `<parameter>.output` in the configured scope process.",
  },
});

const named = { service: z.string(), provider_id: z.int(), parameter: z.string() };

export const parameterFrames = managerFrames("Parameters", {
  parameters_snapshot: answer(
    {
      pattern: z.string(),
      parameters: z.array(parameter),
      errors: z
        .array(z.object({ provider: z.string(), provider_id: z.int(), service: z.string(), message: z.string() }))
        .describe("Providers that did not answer."),
    },
    "The parameters that match.",
  ),
  parameter_override_result: result(named, { enabled: z.boolean(), value: z.string() }, "A parameter was overridden, or not."),
  parameter_open_scope_result: result(named, { topic: z.string(), process: z.string() }, "A scope was opened, or not."),
});
