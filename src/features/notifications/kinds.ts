/** Kinds of conditions that a rule can name, with their meaning. Rules without `on` also get kinds of features that are not listed here. */
export const KINDS: Readonly<Record<string, string>> = {
  failed: "a process failed and is not restarted",
  crash_loop: "a process failed again and again, so that it is not restarted any more",
  not_ready: "a process was not ready in time",
  restarting: "a process failed and is restarted, until a run lasts `restart.stable_after`",
  essential_ended: "a process with `essential: true` ended without a request",
  host_lost: "a host does not answer, or its daemon has ended",
  output_silent: "a process wrote nothing for the time of its `alert`",
  output_matched: "the output of a process matched the expression of its `alert`",
  disk_nearly_full: "the disk of a host has less free space than `instance.disk_nearly_full`",
  network_problem: "a problem that `mgr net` lists",
  limit_reached: "a process reached a limit",
  mode_fallback: "an essential process of a mode failed, and the manager switched to the fallback of the mode",
  manager_restarted: "the manager ended unexpectedly and was started again by its daemon",
};
