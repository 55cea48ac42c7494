import { Option } from "commander";
import type { CommandGroup } from "../../../cli/command/feature.ts";
import { KIND_NAMES } from "./kind-names.ts";
import { IMPORT_PAGES } from "./manual.ts";

/** The command `mgr import`. */
export const IMPORT_GROUP: CommandGroup = {
  pages: IMPORT_PAGES,
  add: (program) => {
    program
      .command("import <path>")
      .description("make a configuration from that of another process manager, and report what has no counterpart")
      .addOption(new Option("--from <kind>", "kind of the file (default: recognised by name and content)").choices(KIND_NAMES))
      .option("-o, --output <file>", "file to write (default: stdout)")
      .option("--force", "replace an existing file")
      .option("--check", "only the report, and write nothing")
      .option("--name <name>", "name of the instance (default: that of the imported project, or of the folder)")
      .option("--outside", "also read files outside of the folder of PATH that 'extends' and 'include' of Docker Compose name")
      .option("--run-javascript", "run a JavaScript file of pm2, as you, to read what it exports")
      .option("--json", "report as JSON, with the configuration if there is no -o")
      .action(async (path, flags) => (await import("./import.ts")).importConfiguration(path, flags));
  },
};
