import type { ProcessList, ProcessListRequest, TaskChange, TaskSettings } from "../../actors/control.ts";
import type { Principal } from "../../base/principal.ts";
import { jsonOf } from "../../bus/client/rpc-envelope.ts";
import { POLICY_NAMES, taskPage } from "../../contract/tasks.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { TaskRow } from "../../protocol/resources/resources.ts";
import { formatTime } from "../../protocol/time.ts";
import type { HostSession } from "../hosts/host-session.ts";
import { taskColumns, taskRow } from "./task-columns.ts";

interface TaskListsOptions {
  /** The session with the host of any of its names; throws `not_found`, `host_unavailable`. */
  sessionOf: (host: string) => HostSession;
  log: LogBook;
}

/** Process lists of any host, made there and shown here. */
export class TaskLists {
  readonly #options: TaskListsOptions;

  constructor(options: TaskListsOptions) {
    this.#options = options;
  }

  async list({ host, show_threads, show_env, filter }: ProcessListRequest, requester: string): Promise<ProcessList> {
    const session = this.#options.sessionOf(host);
    const { link } = session;
    const made = await session.command((id) => link.request("tasks", { session: id, requester, show_threads, show_env, filter }));
    const rows: TaskRow[] = [];
    for (let page = 0; page < made.pages; page++) {
      const { data } = await session.command((id) => link.request("task_page", { session: id, list: made.list, page }));
      for (const cells of taskPage.parse(jsonOf(data))) rows.push(taskRow(cells, show_env));
    }
    return { host: link.host, show_threads, show_env, filter, time: formatTime(made.time), columns: taskColumns(show_env), rows };
  }

  async set({ host, pid, tid, policy, prio, affinity, nice }: TaskChange, by: Principal): Promise<TaskSettings> {
    const session = this.#options.sessionOf(host);
    const { link } = session;
    const wanted = { pid, tid, policy, prio, affinity: affinity.split(",").map(Number), ...(nice === undefined ? {} : { nice }) };
    const now = await session.command((id) => link.request("set_task", { session: id, ...wanted }));
    const niceness = nice === undefined ? "" : `, nice ${now.nice}`;
    this.#options.log.append({
      level: "info",
      source: "manager",
      msg: `'${by.user}' set thread ${tid} of process ${pid} on ${link.host} to ${POLICY_NAMES[now.policy] ?? now.policy}, priority ${now.prio}, CPUs ${now.affinity.join(",")}${niceness}`,
    });
    return { host: link.host, pid, tid, policy: now.policy, prio: now.prio, affinity: now.affinity.join(",") };
  }
}
