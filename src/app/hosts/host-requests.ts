import type { Duplex } from "node:stream";
import type { HostRequests, ProcessList, ProcessListRequest, TaskChange, TaskSettings } from "../../actors/control.ts";
import type { Clock } from "../../base/clock.ts";
import { MgrError } from "../../base/errors.ts";
import { jsonOf } from "../../bus/client/rpc-envelope.ts";
import { POLICY_NAMES, taskPage } from "../../contract/tasks.ts";
import type { X11Connection } from "../../features/displays/host/tunnel.ts";
import { taskColumns, taskRow } from "../../features/process-list/manager/task-columns.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { TaskRow } from "../../protocol/resources/resources.ts";
import { formatTime } from "../../protocol/time.ts";
import type { HostSession } from "./host-session.ts";
import type { HostTable } from "./host-table.ts";
import type { Hosts } from "./hosts.ts";
import { type Loads, ProcessLoads } from "./process-loads.ts";

interface HostRequestsOptions {
  hosts: Hosts;
  table: HostTable;
  log: LogBook;
  clock: Clock;
}

/** Requests of clients to a host, by any of its names. */
export class NamedHostRequests implements HostRequests {
  readonly #options: HostRequestsOptions;

  readonly #loads: ProcessLoads;

  constructor(options: HostRequestsOptions) {
    this.#options = options;
    this.#loads = new ProcessLoads(options);
  }

  loads(): Promise<Loads> {
    return this.#loads.now();
  }

  async openTcp(host: string, target: { host: string; port: number }): Promise<Duplex> {
    return this.#session(host).connect(target);
  }

  /** A connection to the X server of display `:<display>` of a host. */
  async openX11(host: string, display: number): Promise<X11Connection> {
    return this.#session(host).openX11(display);
  }

  async processList({ host, show_threads, show_env, filter }: ProcessListRequest, requester: string): Promise<ProcessList> {
    const session = this.#session(host);
    const { link } = session;
    const made = await session.command((id) => link.request("tasks", { session: id, requester, show_threads, show_env, filter }));
    const rows: TaskRow[] = [];
    for (let page = 0; page < made.pages; page++) {
      const { data } = await session.command((id) => link.request("task_page", { session: id, list: made.list, page }));
      for (const cells of taskPage.parse(jsonOf(data))) rows.push(taskRow(cells, show_env));
    }
    return { host: link.host, show_threads, show_env, filter, time: formatTime(made.time), columns: taskColumns(show_env), rows };
  }

  async setTask({ host, pid, tid, policy, prio, affinity, nice }: TaskChange, by: string): Promise<TaskSettings> {
    const session = this.#session(host);
    const { link } = session;
    const wanted = { pid, tid, policy, prio, affinity: affinity.split(",").map(Number), ...(nice === undefined ? {} : { nice }) };
    const now = await session.command((id) => link.request("set_task", { session: id, ...wanted }));
    const niceness = nice === undefined ? "" : `, nice ${now.nice}`;
    this.#options.log.append({
      level: "info",
      source: "manager",
      msg: `'${by}' set thread ${tid} of process ${pid} on ${link.host} to ${POLICY_NAMES[now.policy] ?? now.policy}, priority ${now.prio}, CPUs ${now.affinity.join(",")}${niceness}`,
    });
    return { host: link.host, pid, tid, policy: now.policy, prio: now.prio, affinity: now.affinity.join(",") };
  }

  #session(host: string): HostSession {
    const entry = this.#options.hosts.entries().find(({ all_names }) => all_names.includes(host));
    if (entry === undefined) throw new MgrError("not_found", `there is no host '${host}'`);
    const session = this.#options.table.session(entry.name);
    if (session?.isOpen) return session;
    throw new MgrError("host_unavailable", `the daemon of host '${entry.name}' cannot be reached; try again when daemon_ready is true`);
  }
}
