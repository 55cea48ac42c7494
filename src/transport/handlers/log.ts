import type { HandlerTable } from "./handler.ts";

type Types = "request_logs" | "set_log_min_level";

export const logHandlers: HandlerTable<Types> = {
  request_logs: {
    kind: "request",
    answer: ({ type: _type, request_id: _id, ...range }, context) => {
      context.flushEvents();
      return [{ type: "log_batch", entries: context.control.log.entries(range), history: true }];
    },
  },
  set_log_min_level: { kind: "command", run: ({ level }, context) => context.setLogMinLevel(level) },
};
