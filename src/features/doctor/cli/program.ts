import type { CommandGroup } from "../../../cli/command/feature.ts";
import { configuration, profile, trust } from "../../../cli/command/option-values.ts";
import { DOCTOR_PAGES } from "./manual.ts";

/** The command `mgr doctor`. */
export const DOCTOR_GROUP: CommandGroup = {
  pages: DOCTOR_PAGES,
  add: (program) => {
    program
      .command("doctor")
      .description("check whether this machine and the configuration are ready for a manager, and say what to do")
      .addOption(configuration())
      .addOption(trust())
      .addOption(profile())
      .option("--json", "as JSON")
      .action(async (flags) => (await import("./doctor.ts")).doctor(flags));
  },
};
