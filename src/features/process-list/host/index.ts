import type { HostFeature } from "../../../daemon/host-feature.ts";
import type { PROCESS_LIST_REQUESTS } from "../contract.ts";
import { TaskLists } from "./task-list.ts";
import { setTask } from "./task-scheduling.ts";

/** Lists the tasks of the host, and changes their scheduling. */
export const processListHost: HostFeature<keyof typeof PROCESS_LIST_REQUESTS> = {
  begin({ clock, lists, owners }) {
    const tasks = new TaskLists({ clock, lists, owners });
    return {
      service: null,
      handlers: {
        tasks: (request) => tasks.make(request),
        set_task: ({ session: _session, ...request }) => setTask(request),
      },
    };
  },
};
