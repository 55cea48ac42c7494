import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting, seconds } from "../../../cli/command/option-values.ts";
import { MAX_REPLICAS } from "../replica-names.ts";

/** The command `mgr scale`. */
export const SCALE_GROUP: CommandGroup = {
  pages: {
    scale: {
      about: `NAME is a process with 'replicas' in the configuration, COUNT a number from 1 to ${MAX_REPLICAS}. New replicas are started if the start of another one is requested.
Those with the highest numbers are stopped as 'mgr stop' does, and removed. The number is kept over restarts of the manager, until the number in
the file changes. It waits until the new ones are ready and the others are gone. See docs/replicas.md.`,
      completes: { counts: ["group"] },
      examples: [
        ["mgr scale worker=5", "run five replicas of worker"],
        ["mgr scale --no-wait web=2 worker=8", "two at once, without waiting"],
      ],
    },
  },
  add: (program) => {
    connecting(program.command("scale <counts...>"))
      .description("set the number of replicas of processes: NAME=COUNT")
      .option("--no-wait", "return as soon as the manager has accepted the numbers")
      .option("--timeout <seconds>", "how long to wait", seconds, 60)
      .action(async (counts, flags) => (await import("./scale.ts")).scale(counts, flags));
  },
};
