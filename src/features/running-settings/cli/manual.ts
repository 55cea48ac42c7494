import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr show`. */
export const SHOW_PAGES: Pages = {
  show: {
    about: `The main process of the run is compared with what its next start would have, as its host resolves it now: env files are read, and the
user is looked up. A difference is marked: * changed, + added (the process alone has it), - missing (the configuration alone has it), each with its
reason where that is known. What is not configured is shown without a mark: the process has it from its host. The environment is that with which
the program was started; what it changed itself later cannot be seen from outside. Values of variables whose names suggest a secret are ***.
See docs/starts.md.`,
    json: "an object: name, host, pid, environment, problem, settings (docs/protocol.md, running_settings)",
    completes: { name: ["process"] },
    examples: [
      ["mgr show sim/world", "everything"],
      ["mgr show sim/world --differences", "only what differs from the configuration"],
    ],
  },
};
