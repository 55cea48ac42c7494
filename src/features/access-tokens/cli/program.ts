import { InvalidArgumentError, Option } from "commander";
import { ROLES } from "../../../base/access/access.ts";
import type { CommandGroup } from "../../../cli/command/feature.ts";
import { collected, connecting } from "../../../cli/command/option-values.ts";
import { MAX_LIFETIME_S, MIN_LIFETIME_S } from "../limits.ts";
import { TOKEN_PAGES } from "./manual.ts";

/** Commands of `mgr token`. */
export const TOKEN_GROUP: CommandGroup = {
  pages: TOKEN_PAGES,
  add: (program) => {
    const token = program.command("token").description("create and revoke access tokens: logins without a password");
    connecting(token.command("create [name]"))
      .description("create an access token, and print it with its link once")
      .addOption(new Option("--role <role>", "what it may do").choices([...ROLES]).makeOptionMandatory())
      .option("--on <pattern>", "only on processes of these names, such as 'sim/*'; may be repeated", collected)
      .option("--expires <time>", "lifetime, such as 12h or 7d (default: 30d)", lifetime)
      .option("--for-url", "accept it only in the URLs of viewers such as Foxglove, as token=…")
      .option("--download", "a viewer may download, too")
      .option("--save <file>", "write the token to a file of mode 0600 instead of printing it")
      .option("--json", "as JSON")
      .action(async (name, flags) => (await import("./token.ts")).tokenCreate(name, flags));

    connecting(token.command("list"))
      .description("list access tokens")
      .option("--json", "as JSON")
      .action(async (flags) => (await import("./token.ts")).tokenList(flags));

    connecting(token.command("revoke <names...>"))
      .description("revoke access tokens; their sessions and connections end at once")
      .action(async (names, flags) => (await import("./token.ts")).tokenRevoke(names, flags));
  },
};

const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };

/** Parses a lifetime. Returns seconds. */
function lifetime(text: string): number {
  const [, amount = "", unit = ""] = /^(\d{1,9})([mhd])$/.exec(text) ?? [];
  const seconds = Number(amount) * (UNIT_SECONDS[unit] ?? 0);
  if (!(seconds >= MIN_LIFETIME_S && seconds <= MAX_LIFETIME_S))
    throw new InvalidArgumentError("expected a time such as 30m, 12h or 7d, at most 366d.");
  return seconds;
}
