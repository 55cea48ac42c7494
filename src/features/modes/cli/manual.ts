import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr mode`. */
export const MODES_PAGES: Pages = {
  mode: {
    about: `The key 'modes' of the configuration names states of the whole set-up: which processes run, which do not, and the values of
parameters. Without MODE the modes are listed, with the active one and what differs from it. With MODE the switch is shown as a reload is, then
carried out: it stops processes in reverse order of their dependencies, sets parameters, and starts processes. What a mode does not name is left
alone. A question comes first if a process ends that is configured to be confirmed ('confirm' or 'essential'). See docs/modes.md.`,
    json: "an array of Mode (docs/protocol.md); with --dry-run: ModePlan, the frame mode_plan without its type; after a switch: ActiveMode",
    completes: { mode: ["mode"] },
    examples: [
      ["mgr mode", "list the modes, and what differs from the active one"],
      ["mgr mode run --dry-run", "show what a switch would start and stop"],
      ["mgr mode run --yes", "switch without a question"],
    ],
    exitCodes: "1: the switch had problems; 4: it has not ended in time",
  },
};
