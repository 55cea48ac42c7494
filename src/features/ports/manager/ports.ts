import type { ManagerCore } from "../../../app/feature.ts";
import { ofAllHosts } from "../../../app/hosts/all-hosts.ts";
import { selectInView } from "../../../transport/select-in-view.ts";
import type { ViewMode } from "../../../transport/view.ts";
import { MAX_NAMES, portPage } from "../contract.ts";
import type { ProcessPorts } from "../wire.ts";

/** The ports of a process, of those of a group, or of all in view. Rejects with `not_found` and `out_of_scope`. */
export type FindPorts = (name: string | null, view: ViewMode) => Promise<{ processes: ProcessPorts[]; away: string[] }>;

export function findPorts({ hosts, processes }: Pick<ManagerCore, "hosts" | "processes">): FindPorts {
  return async (name, view) => {
    const wanted = selectInView(processes.names(), name, view);
    const isAll = name === null && view.kind === "full";
    const names = isAll || wanted.length > MAX_NAMES ? null : wanted;
    // A host that runs none of them need not examine its processes.
    const concerned = new Set(wanted.map((each) => processes.hostOf(each)));
    const { answers, away } = await ofAllHosts(
      [...hosts].filter(([host]) => concerned.has(host)),
      (session) => session.command((id) => session.link.request("listening_ports", { session: id, names })),
      portPage,
    );
    const isWanted = new Set(wanted);
    return {
      processes: answers.flatMap(({ host, rows }) =>
        rows.flatMap(({ name: found, ports, complete }) => (isWanted.has(found) ? { name: found, host, ports, complete } : [])),
      ),
      away,
    };
  };
}
