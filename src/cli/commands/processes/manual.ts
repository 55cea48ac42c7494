import { SIGNALS } from "../../../protocol/process/signals.ts";
import type { Pages } from "../../command/feature.ts";

export const CHOOSING = "NAMES are processes, groups (with all subgroups) or fnmatch patterns such as 'sim/*'.";

/** Manual of the commands about processes and their hosts. `ofHosts`: what features say about columns of hosts. */
export const processPages = (ofHosts: readonly string[]): Pages => ({
  ps: {
    about: `${CHOOSING} Besides the states of the protocol, STATE can be 'restarting' (failed, and not stable since: see restart.stable_after),
'completed' (ended with success), or 'lost' (was running when its host was lost). 'restart to apply changes' stands where the next start
would run another command or configuration; --json has running_command and current_command. CPU% and MEMORY are of the process with
everything that it has started: percent of one CPU, since the last sample or over the life of the run, and resident memory.`,
    json: "an array of processes (docs/protocol.md, 'Process') with cpu_percent and memory_rss, null if not running; with --watch one array per line, after each change",
    completes: { names: ["process", "group"] },
    examples: [
      ["mgr ps", "everything"],
      ["mgr ps --watch sim", "the group sim, updated on each change"],
      ["mgr ps --json | jq -r '.[] | select(.state == \"error\").name'", "names of failed processes"],
    ],
  },
  top: {
    about: `CPU is in percent of one CPU over the last two seconds, memory is resident memory. Both include all descendants of a process. Failed
processes come first. Arrow keys select a process, whose last output is shown below the list. s, x and r start, stop and restart it (stop and
restart ask first), Enter attaches to it (Ctrl-] returns), / filters by name or state, < and > change the sort column, ? shows all keys, q
quits.`,
    examples: [["mgr top", "live states, CPU load and memory"]],
  },
  hosts: {
    about: [
      `RUNNING is the number of running processes and of all processes of the host. CLOCK is the host's clock minus the manager's when
its daemon connected. Processes of a lost host keep running; commands for them are refused until its daemon reconnects.`,
      ...ofHosts,
    ].join("\n"),
    json: "an array of hosts (docs/protocol.md, 'HostEntry')",
    examples: [["mgr hosts", "all hosts and their states"]],
  },
  start: {
    about: `${CHOOSING} Dependencies are started too. It waits until each process is ready (without a
ready condition: started) or has exited successfully, and prints the results.`,
    completes: { names: ["process", "group"] },
    examples: [
      ["mgr start sim", "start a group"],
      ["mgr start --no-wait '*/camera'", "start all matches, without waiting"],
    ],
  },
  stop: {
    about: `${CHOOSING} Dependents are stopped first, unless they have 'on_stop: keep'. It lists everything that it
stopped. 'mgr start' then names what is still stopped because of it.`,
    completes: { names: ["process", "group"] },
    examples: [["mgr stop sim/world", "stop a process and its dependents"]],
  },
  restart: {
    about: CHOOSING,
    completes: { names: ["process", "group"] },
    examples: [["mgr restart sim/world", "stop the process if it runs, then start it"]],
  },
  signal: {
    about: `${CHOOSING} The signal is sent to the main process of each. Signal names are case-insensitive, and SIG may be omitted (hup, rtmin+3).`,
    completes: { signal: { words: SIGNALS.map((each) => each.slice("SIG".length)) }, names: ["process", "group"] },
    examples: [["mgr signal hup 'web/*'", "make the processes of a group reload their configuration"]],
  },
  wait: {
    about: `${CHOOSING} For a process without a ready condition, 'ready' means started.`,
    completes: { names: ["process", "group"] },
    examples: [
      ["mgr wait db sim --for ready --timeout 60", "wait until all are ready"],
      ["mgr wait job --for stopped", "wait until a job has exited successfully"],
    ],
    exitCodes: "1 as soon as a process fails, 4 after the time-out",
  },
  attach: {
    about:
      "All input goes to the process, including Ctrl-C. Ctrl-] detaches and leaves the process running. The process's terminal takes the size of this one. If the manager is restarted, it reconnects and continues without a gap, for up to 30 s.",
    completes: { name: ["process"] },
    examples: [["mgr attach tools/editor", "use the process as if it had been started in this terminal"]],
  },
});
