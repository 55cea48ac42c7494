import { z } from "zod";
import { flag, objectName, pattern, text, timestamp } from "../../protocol/frames/field-kinds.ts";
import { answer, clientFrames, managerFrames, result } from "../../protocol/frames/frame-table.ts";
import { MAX_DESCRIPTION_CHARS, MAX_PRESET_VALUES } from "./limits.ts";
import { PRESET_NAME_RULE } from "./preset-name.ts";

const presetName = objectName.describe(`Name of a preset: the name of its file without \`.yaml\`. It ${PRESET_NAME_RULE}.`);

const preset = z
  .object({
    name: z.string(),
    description: z.string(),
    pattern: z.string().nullable().describe("The pattern with which it was saved; null: by names, or written by hand."),
    saved_by: z.string().describe("The user who saved it last; empty if its file does not say."),
    saved_at: timestamp.nullable().describe("Null if its file does not say."),
    values: z.int().describe("Number of its values; of those that the user may see."),
    problem: z.string().nullable().describe("Why its file cannot be used; null: it can."),
  })
  .meta({ id: "Preset", description: "Values of parameters that are kept in a file." });
export type Preset = z.infer<typeof preset>;

const named = { service: z.string(), parameter: z.string() };
const presetValue = z
  .object({ ...named, value: z.string() })
  .meta({ id: "PresetValue", description: "A value in a preset, in the parameter's own formatting." });
export type PresetValue = z.infer<typeof presetValue>;

const difference = z
  .object({
    ...named,
    result: z
      .enum(["same", "different", "missing", "extra"])
      .describe("`missing`: there is no such parameter now, or not in the other preset. `extra`: not in this preset."),
    value: z.string().nullable().describe("The value in the preset; null: it has none."),
    other: z.string().nullable().describe("The override now, or the value in the other preset; null: none."),
  })
  .meta({ id: "PresetDifference", description: "One parameter of a comparison." });
export type PresetDifference = z.infer<typeof difference>;

const failure = z
  .object({ ...named, message: z.string() })
  .meta({ id: "PresetFailure", description: "A value that could not be set, with the reason." });
export type PresetFailure = z.infer<typeof failure>;

const namesSays = `must be an array of 1 to ${MAX_PRESET_VALUES} names`;

export const presetCommands = clientFrames("Presets of parameters", {
  request_presets: {
    fields: {},
    answer: "presets_snapshot",
    scope: "seen",
    role: "viewer",
    readOnly: true,
    meaning: "All presets. Users with roles on some processes get those that have values of parameters of these processes.",
  },
  request_preset: {
    fields: { name: presetName },
    answer: "preset_detail",
    scope: "seen",
    role: "viewer",
    readOnly: true,
    meaning: "The values of a preset.",
  },
  compare_preset: {
    fields: { name: presetName, with: presetName.describe("Another preset; default: the overrides now.").optional() },
    answer: "preset_comparison",
    scope: "seen",
    role: "viewer",
    readOnly: true,
    meaning: "Compares a preset with the overrides now, or with another preset.",
  },
  save_preset: {
    fields: {
      name: presetName,
      description: text(0, MAX_DESCRIPTION_CHARS).describe("Default: that of the preset that is replaced.").optional(),
      pattern: pattern.describe("Which parameters are saved, as in `request_parameters`. Default: `*`.").optional(),
      parameters: z
        .array(objectName, { error: namesSays })
        .min(1, { error: namesSays })
        .max(MAX_PRESET_VALUES, { error: namesSays })
        .describe("Instead of a pattern: names, `<name>` or `<service>:<name>`.")
        .optional(),
      all: flag.describe("true: also parameters that are not overridden, with the values that are in effect. Default: false.").optional(),
      replace: flag.describe("true: replaces a preset of this name. Default: false.").optional(),
    },
    answer: "preset_save_result",
    scope: "global",
    role: "operator",
    meaning: "Saves overrides under a name. Either 'pattern' or 'parameters' can be sent.",
  },
  load_preset: {
    fields: {
      name: presetName,
      partial: flag
        .describe("true: values that cannot be set are reported, and the others are set. Default: false, all of them or none.")
        .optional(),
    },
    answer: "preset_load_result",
    scope: "owned",
    role: "operator",
    meaning: "Sets the overrides of a preset. Other overrides stay. Needs the role on all processes that have its parameters.",
  },
  delete_preset: {
    fields: { name: presetName },
    answer: null,
    scope: "global",
    role: "operator",
    meaning: "Removes the file of a preset. Overrides stay.",
  },
});

const naming = { name: z.string() };

export const presetFrames = managerFrames("Presets of parameters", {
  presets_snapshot: answer(
    { folder: z.string().describe("The folder of the files on the manager's host."), presets: z.array(preset) },
    "All presets, by name.",
  ),
  preset_detail: result(naming, { preset, values: z.array(presetValue) }, "The values of a preset, or why there are none."),
  preset_comparison: result(
    naming,
    {
      with: z.string().nullable().describe("The other preset; null: the overrides now."),
      differences: z.array(difference).describe("Equal ones, too."),
    },
    "A preset was compared, or not.",
  ),
  preset_save_result: result(
    naming,
    { preset, unanswered: z.array(z.string()).describe("Programs that did not list their parameters, so that none of theirs are saved.") },
    "A preset was saved, or not.",
  ),
  preset_load_result: result(
    naming,
    {
      changed: z.int().describe("Number of overrides that were changed."),
      unchanged: z.int().describe("Number of values that were in effect as overrides before."),
      failures: z.array(failure).describe("With `partial`: values that were not set."),
    },
    "A preset was loaded, or not; then no override has changed, unless the message says so.",
  ),
});
