import { arrayOf, nullable, oneOf, optional, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, result, row } from "../../contract/rows.ts";

const name = "string";
const named = { service: "string", parameter: "string" } as const;

export const presetsContract: FeatureContract = {
  clientFrames: {
    request_presets: row({}, "presets_snapshot"),
    request_preset: row({ name }, "preset_detail"),
    compare_preset: row({ name, with: optional("string") }, "preset_comparison"),
    save_preset: row(
      {
        name,
        description: optional("string"),
        pattern: optional("string"),
        parameters: optional(arrayOf("string")),
        all: optional("boolean"),
        replace: optional("boolean"),
      },
      "preset_save_result",
    ),
    load_preset: row({ name, partial: optional("boolean") }, "preset_load_result"),
    delete_preset: row({ name }),
  },
  managerFrames: {
    presets_snapshot: event({ folder: "string", presets: arrayOf(table("preset")) }),
    preset_detail: result({ name }, { preset: table("preset"), values: arrayOf(table("value of a preset")) }),
    preset_comparison: result({ name }, { with: nullable("string"), differences: arrayOf(table("difference of a preset")) }),
    preset_save_result: result({ name }, { preset: table("preset"), unanswered: arrayOf("string") }),
    preset_load_result: result({ name }, { changed: "integer", unchanged: "integer", failures: arrayOf(table("failure of a preset")) }),
  },
  resources: {
    preset: {
      name,
      description: "string",
      pattern: nullable("string"),
      saved_by: "string",
      saved_at: nullable("timestamp"),
      values: "integer",
      problem: nullable("string"),
    },
    "value of a preset": { ...named, value: "string" },
    "difference of a preset": {
      ...named,
      result: oneOf("same", "different", "missing", "extra"),
      value: nullable("string"),
      other: nullable("string"),
    },
    "failure of a preset": { ...named, message: "string" },
  },
  // Needs a parameter that refuses a value: test/e2e/command-line/data-plane.test.ts.
  seenElsewhere: ["failure of a preset"],
};
