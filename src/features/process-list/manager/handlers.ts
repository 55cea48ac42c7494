import { aboutHost, aboutNamed, type HandlerTable } from "../../../transport/handlers/handler.ts";
import type { topicSchedulingCommands } from "../topic-scheduling.ts";
import type { taskListCommands } from "../wire.ts";
import type { HostTasks } from "./host-tasks.ts";
import type { TopicTasks } from "./topic-scheduling.ts";

export function taskHandlers(tasks: HostTasks): HandlerTable<keyof typeof taskListCommands> {
  return {
    request_process_list: {
      kind: "request",
      about: aboutHost,
      answer: async ({ host, show_threads = false, show_env = false, filter = "" }, { requester }) => {
        const list = await tasks.list({ host, show_threads, show_env, filter }, requester);
        return [{ type: "process_list", ok: true, ...list }];
      },
    },
    set_process_list_task: {
      kind: "request",
      about: aboutHost,
      answer: async (change, { principal }) => [
        { type: "process_list_task_set_result", ok: true, ...(await tasks.set(change, principal.user)) },
      ],
    },
  };
}

export function topicSchedulingHandlers(tasks: TopicTasks): HandlerTable<keyof typeof topicSchedulingCommands> {
  return {
    request_topic_scheduling: {
      kind: "request",
      about: aboutNamed("topic"),
      answer: async ({ name }) => [{ type: "topic_scheduling", ok: true, name, tasks: await tasks.list(name) }],
    },
    apply_topic_scheduling: {
      kind: "request",
      about: aboutNamed("topic"),
      answer: async ({ name, tasks: wanted }, { principal }) => [
        { type: "topic_scheduling_result", ok: true, name, tasks: await tasks.apply(name, wanted, principal.user) },
      ],
    },
  };
}
