import type { Pages } from "../../command/feature.ts";

const PLAN_JSON =
  "{ok, added, removed, changed, unchanged, restart_needed, starts, stops, differences, hosts, settings, manager_restart_needed, problems}; lists of names, except ok, problems, differences ({name, key, from, to}) and hosts ({name, change, keys})";

/** Manual of the commands about the configuration of a running manager. */
export const CONFIGURATION_PAGES: Pages = {
  plan: { about: "Changes nothing.", json: PLAN_JSON, examples: [["mgr plan && mgr reload", "preview the changes, then apply them"]] },
  reload: {
    about: `Unchanged processes keep running. Removed processes are stopped. Changed processes that are running keep running, are marked,
and use the new definition from their next start on. If the configuration has problems, they are listed and nothing is changed.`,
    json: PLAN_JSON,
    examples: [["mgr reload", "after editing mgr.yaml"]],
  },
  graph: {
    about: "Shows NAMES and their dependencies, or all processes.",
    json: `an array of {name, command, state, waiting_for, depends_on: [{name, condition}]}; state is null if no manager is running,
condition is null without the configuration file`,
    completes: { names: ["process", "group"] },
    examples: [
      ["mgr graph sim/viewer", "the viewer and its dependencies"],
      ["mgr graph --dot | dot -Tsvg > graph.svg", "an SVG image, with Graphviz"],
    ],
  },
};
