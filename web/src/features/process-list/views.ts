import type { ViewType } from "../../state/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    /** The process list of a host (omitted: the manager's), of one process, scrolled to one thread. */
    tasks: { host?: string; pid?: number; tid?: number };
  }
}

/** docs/design/wire-rules.md, "HTTP routes" */
export const TASKS: ViewType<"tasks"> = {
  kind: "tasks",
  icon: "table",
  titleOf: ({ pid }) => (pid === undefined ? "Tasks" : `Process ${pid}`),
  path: "/mgr/process-list",
  fields: {
    host: { parameter: "host", isOptional: true },
    pid: { parameter: "pid", isId: true, isOptional: true },
    tid: { parameter: "tid", isId: true, isOptional: true },
  },
  needs: ({ host = "" }) => ({ type: "request_process_list", host }),
  ofPid: (host, pid, tid) => ({ kind: "tasks", host, pid, ...(tid === undefined ? {} : { tid }) }),
};
