import type { Pages } from "../../../cli/command/feature.ts";

const completes = { preset: ["preset"], other: ["preset"], parameters: ["parameter"] } as const;

/** Manual of `mgr preset`. */
export const PRESETS_PAGES: Pages = {
  preset: {
    about: `A preset is a file PRESET.yaml with values of parameters, in the folder 'presets' beside the configuration of the manager
('instance.presets_dir' names another one). Keep it in git; edit it as you like. See docs/presets.md.`,
    examples: [["mgr preset list", "the presets of the manager"]],
  },
  "preset list": {
    about: "A preset whose file cannot be used is listed with the reason.",
    json: "{folder, presets}: an array of Preset (docs/protocol.md)",
    examples: [["mgr preset list", "who saved which preset, and when"]],
  },
  "preset show": {
    about: "Prints each parameter with the value that the preset has for it.",
    json: "{preset, values}: Preset and an array of PresetValue (docs/protocol.md)",
    completes: { preset: completes.preset },
    examples: [["mgr preset show careful", "the values of the preset 'careful'"]],
  },
  "preset save": {
    about: `PARAMETERS are names, NAME or SERVICE:NAME. Without names, all overrides that match the pattern are saved. Programs that do not answer are
named on stderr, and the exit code is 1.`,
    json: "{preset, unanswered}: the Preset that was saved (docs/protocol.md)",
    completes: { preset: completes.preset, parameters: completes.parameters },
    examples: [
      ["mgr preset save careful --pattern 'arm/*'", "save the overrides of the arm"],
      ["mgr preset save careful gain limit --replace", "save two parameters, in the place of an earlier preset"],
    ],
  },
  "preset load": {
    about: `Every value is checked first: if a parameter does not exist now, or cannot have its value, nothing is changed. Overrides that the preset does
not name stay.`,
    json: "{changed, unchanged, failures}: numbers, and an array of PresetFailure (docs/protocol.md)",
    completes: { preset: completes.preset },
    examples: [
      ["mgr preset load careful", "set the overrides of the preset"],
      ["mgr preset load careful --partial", "the same, although a program does not run"],
    ],
    exitCodes: "1 with --partial: some values were not set",
  },
  "preset compare": {
    about: `Prints what differs. MISSING: there is no such parameter now, or not in OTHER. EXTRA: an override that matches the pattern of the preset, or a
value of OTHER, which the preset does not have.`,
    json: "an array of PresetDifference (docs/protocol.md), equal ones included",
    completes: { preset: completes.preset, other: completes.other },
    examples: [
      ["mgr preset compare careful", "what loading it would change"],
      ["mgr preset compare careful fast", "two presets"],
    ],
    exitCodes: "1 if there are differences",
  },
  "preset rm": {
    about: "Removes the file. Overrides that were loaded from it stay.",
    completes: { preset: completes.preset },
    examples: [["mgr preset rm careful", "delete the preset 'careful'"]],
  },
};
