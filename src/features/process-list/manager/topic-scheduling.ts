import { MgrError, messageOf, wireCode } from "../../../base/errors.ts";
import type { AnswerOf, FrameOf } from "../../../protocol/frames/frames.ts";
import type { HostEntry } from "../../../protocol/resources/resources.ts";
import type { KnownClient, ManagerDataPlane, TopicPrograms } from "../../data-plane/manager/index.ts";
import type { TaskColumnName } from "../task-columns.ts";
import type { HostTasks } from "./host-tasks.ts";

/** Requester of these lists: daemons keep CPU samples by requester. */
const REQUESTER = "topic-scheduling";

type Ok<T> = Extract<T, { ok: true }>;
type TopicTask = Ok<AnswerOf<"request_topic_scheduling">>["tasks"][number];
type WantedTopicTask = FrameOf<"apply_topic_scheduling">["tasks"][number];
type AppliedTopicTask = Ok<AnswerOf<"apply_topic_scheduling">>["tasks"][number];

/** Scheduling of the threads behind a topic. Both methods reject with `not_found` for a topic that does not exist. */
export interface TopicTasks {
  /** Threads of the programs that publish or receive the topic, if their pids are known. */
  list(name: string): Promise<TopicTask[]>;
  /** Each task succeeds or fails by itself. */
  apply(name: string, tasks: readonly WantedTopicTask[], by: string): Promise<AppliedTopicTask[]>;
}

interface TopicSchedulingOptions {
  readonly dataPlane: Pick<ManagerDataPlane, "topicPrograms" | "hostOf">;
  readonly tasks: HostTasks;
  readonly hostEntries: () => HostEntry[];
}

/** Scheduling of the threads behind a topic: those of the publisher and of the subscribers, by the pids that they registered. */
export class TopicScheduling implements TopicTasks {
  readonly #options: TopicSchedulingOptions;

  constructor(options: TopicSchedulingOptions) {
    this.#options = options;
  }

  async list(name: string): Promise<TopicTask[]> {
    return this.#tasksOf(this.#options.dataPlane.topicPrograms(name));
  }

  async apply(name: string, wanted: readonly WantedTopicTask[], by: string): Promise<AppliedTopicTask[]> {
    // Threads of programs that do not use the topic are refused.
    const tasks = await this.list(name);
    const applied: AppliedTopicTask[] = [];
    for (const task of wanted) applied.push(await this.#applyOne(tasks, task, by));
    return applied;
  }

  async #tasksOf({ publisher, subscribers }: TopicPrograms): Promise<TopicTask[]> {
    const programs = [
      ...(publisher ? [{ role: "publisher" as const, client: publisher }] : []),
      ...subscribers.map((client) => ({ role: "subscriber" as const, client })),
    ].filter(({ client }) => client.record.pid > 0);
    // A program may have several clients; its threads are requested once.
    const asked = new Map<string, Promise<Omit<TopicTask, "role" | "client_id" | "client">[]>>();
    const threads = (client: KnownClient) => {
      const host = this.#options.dataPlane.hostOf(client);
      const { pid } = client.record;
      const key = `${pid} ${host}`;
      const known = asked.get(key) ?? this.#threads(host, pid);
      asked.set(key, known);
      return known;
    };
    const lists = await Promise.all(
      programs.map(async ({ role, client }) =>
        (await threads(client)).map((task) => ({ role, client_id: client.id, client: client.record.name, ...task })),
      ),
    );
    return lists.flat();
  }

  async #applyOne(
    tasks: readonly TopicTask[],
    { host: anyName, pid, tid, policy, prio, affinity }: WantedTopicTask,
    by: string,
  ): Promise<AppliedTopicTask> {
    const host = this.#options.hostEntries().find(({ all_names }) => all_names.includes(anyName))?.name ?? anyName;
    const named = { host, pid, tid };
    try {
      const now = tasks.find((task) => task.pid === pid && task.tid === tid && task.host === host);
      if (now === undefined)
        throw new MgrError(
          "not_found",
          `thread ${tid} of process ${pid} on '${host}' belongs to no program that publishes or receives this topic`,
        );
      const change = { policy: policy ?? now.policy, prio: prio ?? now.prio, affinity: affinity ?? now.affinity };
      await this.#options.tasks.set({ ...named, ...change }, by);
      return { ...named, ok: true };
    } catch (error) {
      return { ...named, ok: false, code: wireCode(error), message: messageOf(error) };
    }
  }

  /** Threads of a program; empty if the request to the host fails or the program has ended. */
  async #threads(host: string, pid: number) {
    const request = { host, show_threads: true, show_env: false, filter: `pid:==:${pid}` };
    const list = await this.#options.tasks.list(request, REQUESTER).catch(() => null);
    if (list === null) return [];
    const at = (name: TaskColumnName) => list.columns.findIndex((column) => column.name === name);
    const [tid, thread, policy, prio, affinity] = (["tid", "name", "policy", "prio", "affinity"] as const).map(at);
    return list.rows.map(({ cells }) => {
      const raw = (index = -1) => cells[index]?.raw ?? "";
      return {
        host: list.host,
        pid,
        tid: Number(raw(tid)),
        thread: String(raw(thread)),
        policy: Number(raw(policy)),
        prio: Number(raw(prio)),
        affinity: String(raw(affinity)),
      };
    });
  }
}
