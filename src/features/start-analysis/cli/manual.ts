import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr analyze`. */
export const ANALYZE_PAGES: Pages = {
  analyze: {
    about: `NAME is a process or a group. The last start is the newest one, with all starts that overlap with it: a process that was restarted alone
later is a start of its own. The critical chain begins with the process that was up last, followed by the dependency that it waited for last,
and so on; only what is in the chain can make the start shorter. @ is the time since the beginning of the start, + what this process added.
Waiting is the time until everything that it depends on was there, starting from there to its pid, until ready from there to its ready condition.
An earlier manager's starts are not known. See docs/starts.md.`,
    json: "an object: name, requested, settled, chain, processes, unknown (docs/protocol.md, start_analysis)",
    completes: { name: ["process", "group"] },
    examples: [
      ["mgr analyze", "the last start of everything"],
      ["mgr analyze robot --limit 30", "of a group, with its 30 longest starts"],
      ["mgr analyze --json | jq '.chain[].name'", "for programs"],
    ],
  },
};
