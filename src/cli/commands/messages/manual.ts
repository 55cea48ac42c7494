import type { Pages } from "../../command/feature.ts";
import { CHOOSING } from "../processes/manual.ts";

/** Manual of the commands about output, the log and frames. */
export const MESSAGE_PAGES: Pages = {
  log: {
    about: "The log has the manager's actions with user and reason: starts, exits, refusals, reloads.",
    json: "one object per line: id, ts, level, source, msg",
    examples: [["mgr log -f --level warning", "new warnings and errors, live"]],
  },
  logs: {
    about: `${CHOOSING}

On a terminal only text, colours and line erasing are printed, because other control sequences could change this
terminal. --raw prints all of them. Output to pipes and files is unfiltered.`,
    completes: { names: ["process", "group"] },
    examples: [
      ["mgr logs -f", "all processes, live, each line with its process name"],
      ["mgr logs --since 10m", "all processes, the last ten minutes"],
      ["mgr logs -n 100 sim/world", "the last hundred lines"],
      ["mgr logs -f 'sim/*'", "a group, live"],
      ["mgr logs --timestamps sim", "a group in the order of time, with times"],
      ["mgr logs sim/world --run -1", "the run before the newest one"],
      ["mgr logs sim/world > world.txt", "save all output, unfiltered"],
    ],
  },
  call: {
    about:
      "docs/protocol.md describes the frames. The response is printed as JSON. For an error response the exit code is 1, 2 or 3, depending on its code.",
    examples: [[`mgr call '{"type":"request_process_detail","name":"sim/world"}'`, "all details of a process"]],
  },
};
