import { MgrError } from "../../../src/base/errors.ts";
import type {
  HostTasks,
  ProcessList,
  ProcessListRequest,
  TaskChange,
  TaskSettings,
} from "../../../src/features/process-list/manager/host-tasks.ts";
import { processListExtension } from "../../../src/features/process-list/manager/index.ts";
import type { TopicTasks } from "../../../src/features/process-list/manager/topic-scheduling.ts";
import type { FakeControl } from "../../support/fakes/fake-control.ts";

/** Hosts without tasks; requests are recorded in the `calls` of the control, those for topics find nothing. */
export class FakeTasks implements HostTasks {
  readonly extension;
  readonly #control: FakeControl;

  constructor(control: FakeControl) {
    this.#control = control;
    const nothing = () => Promise.reject(new MgrError("not_found", "there is nothing of this name"));
    const topics: TopicTasks = { list: nothing, apply: nothing };
    this.extension = processListExtension({ tasks: this, topics, hosts: () => control.hosts().map(({ name }) => name) });
  }

  async list({ host, ...request }: ProcessListRequest, requester: string): Promise<ProcessList> {
    this.#control.hostCall("processList", host, request, requester);
    return { host: this.#control.manager.host, ...request, time: "2026-11-21T08:14:02.123", columns: [], rows: [] };
  }

  async set({ host, pid, tid, policy, prio, affinity, nice }: TaskChange, _by: string): Promise<TaskSettings> {
    this.#control.hostCall("setTask", host, pid, tid, policy, prio, affinity, nice);
    return { host: this.#control.manager.host, pid, tid, policy, prio, affinity };
  }
}
