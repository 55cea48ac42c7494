import { randomUUID } from "node:crypto";
import type { ManagerFeature } from "../../../app/feature.ts";
import { messageOf, wireCode } from "../../../base/errors.ts";
import { fileNameOf, json } from "../../../http/archive/archive-parts.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { dataPlane } from "../../data-plane/manager/index.ts";
import { taskHandlers, topicSchedulingHandlers } from "./handlers.ts";
import { type HostTasks, ManagerHostTasks } from "./host-tasks.ts";
import { TopicScheduling, type TopicTasks } from "./topic-scheduling.ts";

/** All tasks of the hosts, and their scheduling. */
export const processList: ManagerFeature<Pick<ProcessListParts, "tasks" | "topics">> = {
  name: "process-list",
  attach({ hostEntries, log, named, use }) {
    const tasks = new ManagerHostTasks({ named, log });
    const topics = new TopicScheduling({ dataPlane: use(dataPlane), tasks, hostEntries });
    const hosts = () => hostEntries().map(({ name }) => name);
    return { service: { tasks, topics }, ...processListExtension({ tasks, topics, hosts }) };
  },
};

interface ProcessListParts {
  readonly tasks: HostTasks;
  readonly topics: TopicTasks;
  readonly hosts: () => readonly string[];
}

export function processListExtension({ tasks, topics, hosts }: ProcessListParts): FeatureExtension {
  return {
    transport: { handlers: { ...taskHandlers(tasks), ...topicSchedulingHandlers(topics) } },
    http: {
      async *archiveParts() {
        for (const host of hosts()) yield { name: `process-list/${fileNameOf(host)}.json`, content: json(await archived(tasks, host)) };
      },
    },
  };
}

/** All threads of a host, never with environments. */
async function archived(tasks: HostTasks, host: string): Promise<object> {
  try {
    const list = await tasks.list({ host, show_threads: true, show_env: false, filter: "" }, randomUUID());
    return { type: "process_list", ok: true, ...list };
  } catch (error) {
    return { type: "process_list", ok: false, host, code: wireCode(error), message: messageOf(error) };
  }
}
