import { MgrError } from "../../base/errors.ts";
import { isWithin } from "../../base/text/names.ts";
import { contains } from "../view.ts";
import type { HandlerTable } from "./handler.ts";

export const loadHandlers: HandlerTable<"request_process_loads"> = {
  request_process_loads: {
    kind: "request",
    answer: async ({ name }, { control, view }) => {
      if (name !== undefined && !control.state.process(name) && !control.state.hasGroup(name))
        throw new MgrError("not_found", `there is no process or group '${name}'`);
      const { loads, hosts } = await control.hostRequests.loads();
      const requested = loads.filter((load) => contains(view, load.name) && (name === undefined || isWithin(load.name, name)));
      return [{ type: "process_loads", loads: requested, hosts: view.kind === "granted" ? [] : hosts }];
    },
  },
};
