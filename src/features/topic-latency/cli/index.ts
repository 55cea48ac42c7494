import { InvalidArgumentError } from "commander";
import type { CliFeature } from "../../../cli/command/feature.ts";
import { connecting, window } from "../../../cli/command/option-values.ts";
import { DEFAULT_SECONDS } from "../limits.ts";
import { LATENCY_PAGES } from "./manual.ts";

/** Maximum length of one measurement, seconds; the manager has the same limit. */
const MAX_SECONDS = 60;

/** `mgr topic latency`; the group `mgr topic` comes before. */
export const topicLatencyCli: CliFeature = {
  groups: [
    {
      pages: LATENCY_PAGES,
      add: (program) => {
        const topic = program.commands.find((command) => command.name() === "topic") ?? program.command("topic");
        connecting(topic.command("latency <name>"))
          .description("measure latency and jitter of a topic, and of the chain that leads to it")
          .option("--chain <topics>", "only messages that these topics led to, in order: a,b,c", topicNames)
          .option("--for <seconds>", "length of the measurement", window(MAX_SECONDS), DEFAULT_SECONDS)
          .option("--limit <ms>", "count messages that take longer (default: max_latency of a process)", milliseconds)
          .option("--json", "as JSON")
          .action(async (name, flags) => (await import("./latency.ts")).latency(name, flags));
      },
    },
  ],
};

function topicNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("expected names of topics with commas between them.");
  return names;
}

function milliseconds(text: string): number {
  const value = Number(/^(.+?)(?:ms)?$/.exec(text)?.[1] ?? Number.NaN);
  if (!(value >= 0 && value <= 3_600_000)) throw new InvalidArgumentError("expected a number of milliseconds such as 5 or 0.5ms.");
  return value;
}
