import type { Pages } from "../../../../cli/command/feature.ts";
import { THIS_MACHINE } from "../topic/manual.ts";

/** Manual of `mgr scope`. */
export const SCOPE_PAGES: Pages = {
  scope: {
    about: `TRACE is a topic and a numeric field of it: arm/state.position[0]. A topic alone shows all its numeric fields. Without TRACES it waits for
traces from elsewhere: it provides a service of the interface mgr.scope.v1, so that it can be the process 'instance.scope_process', in which
the page opens parameters. Space pauses, + and - change the window, up and down select a trace, Enter hides it, x removes it, f fits the value axis
or holds it, c clears, ? shows all keys, q quits. ${THIS_MACHINE}`,
    completes: { traces: ["topic"] },
    examples: [
      ["mgr scope arm/state.position[0] arm/state.velocity[0]", "two traces"],
      ["mgr scope arm/state --window 30", "all numeric fields, the last 30 s"],
    ],
  },
};
