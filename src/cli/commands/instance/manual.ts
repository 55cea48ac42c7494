import type { Pages } from "../../command/feature.ts";

/** Manual of the commands that begin and end an instance. */
export const INSTANCE_PAGES: Pages = {
  up: {
    about: `In the foreground it prints its log, and the output of all processes, each line with its process name. The first SIGINT (Ctrl-C), SIGTERM or SIGHUP stops all processes in reverse order. A second SIGINT
or SIGTERM kills them at once; closing the terminal never does. During the stop, the page and 'mgr ps' keep working, and commands are refused. If the manager is killed,
processes keep running, and the next 'mgr up' adopts them with their pids, states and output. With --detach, the host daemon then
starts the manager again by itself (instance.restart_manager).
The port opens, and --detach returns, when the local host is ready for commands, or after 10 s; the log then has the reason.
Starts processes with 'autostart: true', processes that ran when the manager was killed, and NAMES. What a user started or stopped stays
so across 'mgr down' and 'mgr up': a process that a user stopped is not started again, even with 'autostart: true'. 'mgr ps' then says
"stopped by USER at TIME"; start it with 'mgr start NAME', or name it in 'mgr up NAME'.`,
    completes: { names: ["process"], "--exit-with": ["process"] },
    examples: [
      ["mgr up", "start the manager and all processes with autostart"],
      ["mgr up --detach sim tools/viewer", "run in the background, and start a group and a process"],
      ["mgr up --all --abort-on-failure --exit-with tests", "a CI job: run all processes until 'tests' ends"],
    ],
    exitCodes:
      "the exit code of the process that ended it (--exit-with, --abort-on-failure, 'essential: true'), or 128 plus its signal number",
  },
  down: {
    about: `Also works if the manager is not running: then it stops the daemon and its processes, and the manager is not started again. A second 'mgr down', while the first one
waits, kills the remaining processes. If nothing is running, it succeeds.`,
    examples: [["mgr down", "stop the instance of ./mgr.yaml"]],
  },
};
