import type { ManagerState } from "../actors/control.ts";
import type { LogBook } from "../log/log-book.ts";
import type { Hosts } from "./hosts/hosts.ts";
import type { ManagerStatus } from "./manager-status.ts";
import type { ProcessSessions } from "./processes/process-sessions.ts";
import type { ProcessSettingsBook } from "./processes/process-settings.ts";
import type { ProcessTable } from "./processes/process-table.ts";
import type { RunSpecBuilder } from "./processes/run-spec-builder.ts";

interface Sources {
  status: ManagerStatus;
  processTable: ProcessTable;
  hosts: Hosts;
  settings: ProcessSettingsBook;
  runSpecs: RunSpecBuilder;
  sessions: ProcessSessions;
  log: LogBook;
}

/** Maximum number of state changes in the details of a process. */
const MAX_CHANGES = 200;

/** The state of the manager that clients can read. */
export function managerState({ status, processTable, hosts, settings, runSpecs, sessions, log }: Sources): ManagerState {
  return {
    get manager() {
      return status.info;
    },
    get isShuttingDown() {
      return status.isShuttingDown;
    },
    processes: () => processTable.processes(),
    process: (name) => processTable.process(name),
    hasGroup: (name) => processTable.config.groups.has(name),
    processTree: (scope) => processTable.tree(scope),
    hosts: () => hosts.entries(),
    startTools: () => settings.startTools(),
    processDetail: (name) => ({
      ...runSpecs.detail(name),
      needed_by: [...processTable.config.processes.values()]
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
