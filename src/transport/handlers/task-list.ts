import { MgrError } from "../../base/errors.ts";
import { isWithin } from "../../base/names.ts";
import { aboutHost, type HandlerTable } from "./handler.ts";

type Types = "request_process_loads" | "request_process_list" | "set_process_list_task";

export const taskHandlers: HandlerTable<Types> = {
  request_process_loads: {
    kind: "request",
    answer: async ({ name }, { control }) => {
      if (name !== undefined && !control.state.process(name) && !control.state.hasGroup(name))
        throw new MgrError("not_found", `there is no process or group '${name}'`);
      const { loads, hosts } = await control.hostRequests.loads();
      return [
        {
          type: "process_loads",
          loads: name === undefined ? loads : loads.filter((load) => load.name === name || isWithin(load.name, name)),
          hosts,
        },
      ];
    },
  },
  request_process_list: {
    kind: "request",
    about: aboutHost,
    answer: async ({ host, show_threads = false, show_env = false, filter = "" }, { control, requester }) => {
      const list = await control.hostRequests.processList({ host, show_threads, show_env, filter }, requester);
      return [{ type: "process_list", ok: true, ...list }];
    },
  },
  set_process_list_task: {
    kind: "request",
    about: aboutHost,
    answer: async ({ type: _type, request_id: _id, ...change }, { control, principal }) => {
      const settings = await control.hostRequests.setTask(change, principal.user);
      return [{ type: "process_list_task_set_result", ok: true, ...settings }];
    },
  },
};
