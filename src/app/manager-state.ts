import type { ManagerState } from "../actors/control.ts";
import type { LogBook } from "../log/log-book.ts";
import type { Hosts } from "./hosts/hosts.ts";
import type { ManagerStatus } from "./manager-status.ts";
import type { ProcessRegistry } from "./processes/process-registry.ts";
import type { ProcessSessions } from "./processes/process-sessions.ts";
import type { ProcessSettingsBook } from "./processes/process-settings.ts";
import type { RunSpecBuilder } from "./processes/run-spec-builder.ts";

interface Sources {
  status: ManagerStatus;
  registry: ProcessRegistry;
  hosts: Hosts;
  settings: ProcessSettingsBook;
  runSpecs: RunSpecBuilder;
  sessions: ProcessSessions;
  log: LogBook;
}

/** Maximum number of state changes in the details of a process. */
const MAX_CHANGES = 200;

/** The state of the manager that clients can read. */
export function managerState({ status, registry, hosts, settings, runSpecs, sessions, log }: Sources): ManagerState {
  return {
    get manager() {
      return status.info;
    },
    get isShuttingDown() {
      return status.isShuttingDown;
    },
    processes: () => registry.processes(),
    process: (name) => registry.process(name),
    hasGroup: (name) => registry.config.groups.has(name),
    processTree: (scope) => registry.tree(scope),
    hosts: () => hosts.entries(),
    startTools: () => settings.startTools(),
    processDetail: (name) => ({
      ...runSpecs.detail(name),
      needed_by: [...registry.config.processes.values()]
        .filter(({ depends_on }) => depends_on.some((each) => each.name === name))
        .map((each) => each.name),
      changes: log.changesOf(name, MAX_CHANGES),
    }),
    async startupCommands(name) {
      const { host, spec } = runSpecs.of(name);
      const session = sessions.with(host, name);
      const { commands } = await session.command((id) => session.link.request("startup_commands", { session: id, spec }));
      return commands;
    },
  };
}
