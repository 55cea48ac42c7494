import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr limits`. */
export const LIMITS_PAGES: Pages = {
  limits: {
    about: `NAMES are processes, groups (with all subgroups) or fnmatch patterns such as 'sim/*'; without NAMES all processes are shown.
The key 'limits_act' of a process says what happens when its memory, CPU, open descriptors, run time or output is over a limit for a time:
notify, restart or stop. The key 'cgroup' has limits that the kernel enforces; where they cannot be set, the reason is shown here. A limit that
only notifies is shown until the figure is below it again or the run ends; one that restarted or stopped its process until it is dismissed, or
after a stop until the process is started again. See docs/limits.md.`,
    json: "an array of LimitState (docs/protocol.md), also with --clear: those that were dismissed",
    completes: { names: ["process", "group"] },
    examples: [
      ["mgr limits", "which limits were reached"],
      ["mgr limits --clear sim/camera", "dismiss those of a process"],
    ],
  },
};
