import type { CommandGroup } from "../../../cli/command/feature.ts";
import { age, configuration, trust, wholeNumber } from "../../../cli/command/option-values.ts";
import { DEFAULT_LISTED } from "../limits.ts";
import { AUDIT_PAGES } from "./manual.ts";

const MAX_LINES = 1_000_000;

/** The commands `mgr audit` and `mgr audit verify`. */
export const AUDIT_GROUP: CommandGroup = {
  pages: AUDIT_PAGES,
  add: (program) => {
    const audit = program
      .command("audit [names...]")
      .description("show who gave which command, from where, and with which outcome")
      .option("--user <name>", "only commands of this user")
      .option("--command <pattern>", "only commands whose name matches, such as stop_process or '*_process'")
      .option("--since <age>", "only of the last 30s, 10m, 2h, 7d, or since this time", age)
      .option("--until <age>", "only until this long ago, or until this time", age)
      .option("-n, --lines <count>", `the newest entries (default: ${DEFAULT_LISTED}, with --since all)`, wholeNumber(MAX_LINES))
      .option("--json", "as JSON")
      .addOption(configuration())
      .addOption(trust())
      .option("--url <url>", "the manager's address (MGR_URL)")
      .option("--login <name>", "web user who asks (MGR_USER)")
      .option("--password-file <file>", "file that holds the user's password (MGR_PASSWORD_FILE)")
      .option("--token-file <file>", "file that holds an access token, instead of user and password (MGR_TOKEN_FILE, or MGR_TOKEN)")
      .option("--ca-file <file>", "PEM file of certificates to trust for https (MGR_CA_FILE)")
      .action(async (names, flags) => (await import("./audit.ts")).audit(names, flags));
    audit
      .command("verify")
      .description("check that no record was changed, added or removed")
      .option("--folder <folder>", "the folder of the records (default: that of the configuration's state folder)")
      .option("--json", "as JSON")
      // `mgr audit` has these options too, and receives them.
      .action(async (_flags, command) => (await import("./verify.ts")).verify(command.optsWithGlobals()));
  },
};
