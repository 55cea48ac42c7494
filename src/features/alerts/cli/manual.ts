import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr alerts`. */
export const ALERTS_PAGES: Pages = {
  alerts: {
    about: `NAMES are processes, groups (with all subgroups) or fnmatch patterns such as 'sim/*'; without NAMES all processes are shown.
The key 'alert' of a process says when it needs attention: after a time without output (silent_for), or when a line of its output matches an
expression (output_matches). A silent process is shown until it writes again or ends, one whose output matched until the alert is dismissed or
the process starts again. Also '--clear NAME' and 'NAME --clear' mean the same. See docs/alerts.md.`,
    json: "an array of Alert (docs/protocol.md), also with --clear: those that were dismissed",
    completes: { names: ["process", "group"] },
    examples: [
      ["mgr alerts", "what needs attention"],
      ["mgr alerts --clear sim/camera", "dismiss the alert of a process"],
      ["mgr alerts --clear 'sim/*'", "dismiss those of a group"],
    ],
  },
};
