import type { CommandGroup } from "../../../cli/command/feature.ts";
import { age, connecting, wholeNumber } from "../../../cli/command/option-values.ts";
import { DEFAULT_SEARCH_HITS, MAX_CONTEXT, MAX_SEARCH_HITS } from "../limits.ts";
import { GREP_PAGES } from "./manual.ts";

/** The command `mgr grep`. */
export const GREP_GROUP: CommandGroup = {
  pages: GREP_PAGES,
  add: (program) => {
    connecting(program.command("grep <pattern> [names...]"))
      .description("search the output of processes on all hosts, log files included; without NAMES of all")
      .option("-i, --ignore-case", "upper and lower case are the same")
      .option("-E, --regexp", "the pattern is a regular expression (RE2)")
      .option("--since <time>", "only output since a time, or of the last 30s, 10m, 2h", age)
      .option("-C, --context <lines>", `number of lines to show around each hit, at most ${MAX_CONTEXT}`, wholeNumber(MAX_CONTEXT))
      .option("--limit <hits>", "maximum number of hits", wholeNumber(MAX_SEARCH_HITS), DEFAULT_SEARCH_HITS)
      .option("--json", "one JSON object per hit")
      .action(async (pattern, names, flags) => (await import("./grep.ts")).grep(pattern, names, flags));
  },
};
