import { readList } from "../../../app/hosts/list-reader.ts";
import type { NamedHosts } from "../../../app/hosts/named-hosts.ts";
import { policyName } from "../../../base/scheduling-policies.ts";
import type { LogBook } from "../../../log/log-book.ts";
import type { AnswerOf, FrameOf } from "../../../protocol/frames/frames.ts";
import { formatTime } from "../../../protocol/time.ts";
import { taskPage } from "../contract.ts";
import { taskColumns, taskRow } from "./task-columns.ts";

export type ProcessListRequest = Required<Omit<FrameOf<"request_process_list">, "type" | "request_id">>;
/** The answer without `ok`; `host` is the canonical name. */
export type ProcessList = Pick<
  Extract<AnswerOf<"request_process_list">, { ok: true }>,
  "host" | "show_threads" | "show_env" | "filter" | "time" | "columns" | "rows"
>;
export type TaskChange = Omit<FrameOf<"set_process_list_task">, "type" | "request_id">;
/** Scheduling of a task, read back. */
export type TaskSettings = Pick<
  Extract<AnswerOf<"set_process_list_task">, { ok: true }>,
  "host" | "pid" | "tid" | "policy" | "prio" | "affinity"
>;

/** The tasks of hosts. `host` is any name of a host. */
export interface HostTasks {
  /** CPU percentages cover the time since the last request of the same `requester` (at most 64 characters). */
  list(request: ProcessListRequest, requester: string): Promise<ProcessList>;
  /** Rejects with the kernel's reason; nothing was changed then. */
  set(change: TaskChange, by: string): Promise<TaskSettings>;
}

interface HostTasksOptions {
  readonly named: Pick<NamedHosts, "session">;
  readonly log: LogBook;
}

/** Requests the tasks of a host from its daemon. */
export class ManagerHostTasks implements HostTasks {
  readonly #options: HostTasksOptions;

  constructor(options: HostTasksOptions) {
    this.#options = options;
  }

  async list({ host, show_threads, show_env, filter }: ProcessListRequest, requester: string): Promise<ProcessList> {
    const session = this.#options.named.session(host);
    const { link } = session;
    const made = await session.command((id) => link.request("tasks", { session: id, requester, show_threads, show_env, filter }));
    const rows = (await readList(session, made, taskPage)).map((cells) => taskRow(cells, show_env));
    return { host: link.host, show_threads, show_env, filter, time: formatTime(made.time), columns: taskColumns(show_env), rows };
  }

  async set({ host, pid, tid, policy, prio, affinity, nice }: TaskChange, by: string): Promise<TaskSettings> {
    const session = this.#options.named.session(host);
    const { link } = session;
    const requested = { pid, tid, policy, prio, affinity: affinity.split(",").map(Number), ...(nice === undefined ? {} : { nice }) };
    const now = await session.command((id) => link.request("set_task", { session: id, ...requested }));
    const niceness = nice === undefined ? "" : `, nice ${now.nice}`;
    this.#options.log.info(
      `'${by}' set thread ${tid} of process ${pid} on ${link.host} to ${policyName(now.policy).toUpperCase()}, priority ${now.prio}, CPUs ${now.affinity.join(",")}${niceness}`,
    );
    return { host: link.host, pid, tid, policy: now.policy, prio: now.prio, affinity: now.affinity.join(",") };
  }
}
