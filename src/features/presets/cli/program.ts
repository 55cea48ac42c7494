import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting } from "../../../cli/command/option-values.ts";
import { PRESETS_PAGES } from "./manual.ts";

/** Commands of `mgr preset`. */
export const PRESETS_GROUP: CommandGroup = {
  pages: PRESETS_PAGES,
  add: (program) => {
    const preset = program.command("preset").description("keep values of parameters in files, compare and load them");
    connecting(preset.command("list"))
      .description("list the presets")
      .option("--json", "as JSON")
      .action(async (flags) => (await import("./preset.ts")).presetList(flags));

    connecting(preset.command("show <preset>"))
      .description("print the values of a preset")
      .option("--json", "as JSON")
      .action(async (name, flags) => (await import("./preset.ts")).presetShow(name, flags));

    connecting(preset.command("save <preset> [parameters...]"))
      .description("save the overrides of parameters")
      .option("--pattern <pattern>", "parameters whose NAME or SERVICE:NAME matches, instead of names; default: all")
      .option("--description <text>", "a sentence about the preset")
      .option("--all", "also parameters that are not overridden, with the values in effect")
      .option("--replace", "replace a preset of this name")
      .option("--json", "as JSON")
      .action(async (name, parameters, flags) => (await import("./preset.ts")).presetSave(name, parameters, flags));

    connecting(preset.command("load <preset>"))
      .description("set the overrides of a preset, all of them or none")
      .option("--partial", "set those that can be set, and name the others")
      .option("--json", "as JSON")
      .action(async (name, flags) => (await import("./preset.ts")).presetLoad(name, flags));

    connecting(preset.command("compare <preset> [other]"))
      .description("compare a preset with the overrides now, or with another preset; exit code 1 if they differ")
      .option("--json", "as JSON")
      .action(async (name, other, flags) => (await import("./preset.ts")).presetCompare(name, other, flags));

    connecting(preset.command("rm <preset>"))
      .description("delete a preset; overrides stay")
      .action(async (name, flags) => (await import("./preset.ts")).presetRemove(name, flags));
  },
};
