import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr completion`. */
export const COMPLETION_PAGES: Pages = {
  completion: {
    about: `Commands, options and fixed values are part of the scripts. Names of processes, groups, hosts, topics, services, parameters, loggers and
recordings come from the running manager. See docs/completion.md.`,
    examples: [["mgr completion install", "for the shell of this user"]],
  },
  "completion bash": {
    about: "Prints the script.",
    examples: [["source <(mgr completion bash)", "for this shell only"]],
  },
  "completion zsh": {
    about: "Prints the script. Its file is named _mgr, in a folder of fpath.",
    examples: [["mgr completion zsh > ~/.zfunc/_mgr", "with ~/.zfunc in fpath"]],
  },
  "completion fish": {
    about: "Prints the script.",
    examples: [["mgr completion fish | source", "for this shell only"]],
  },
  "completion install": {
    about: `Writes the script to the folder of this user from which the shell loads completions, and says what else is needed. Run it again after an
update of mgr.`,
    examples: [["mgr completion install --shell zsh", "for another shell than that of SHELL"]],
  },
  "completion names": {
    about: `Prints one name a line, and after a tab what it is, such as the state of a process. KINDS are process, group, host, topic, service,
parameter, logger and recording. The scripts call it. It prints nothing, and succeeds, where no manager answers within a second.`,
    completes: { kinds: { words: ["process", "group", "host", "topic", "service", "parameter", "logger", "recording"] } },
    examples: [["mgr completion names process group --prefix sim", "names that begin with 'sim'"]],
  },
};
