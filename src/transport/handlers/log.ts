import { aboutLog, type HandlerTable } from "./handler.ts";

type Types = "request_logs" | "set_log_min_level";

const MAX_LIMIT = 100_000;

export const logHandlers: HandlerTable<Types> = {
  request_logs: {
    kind: "request",
    scope: aboutLog,
    answer: ({ level = "debug", limit = MAX_LIMIT }, context) => {
      context.flushEvents();
      return [{ type: "log_batch", entries: context.control.log.entries({ level, limit: Math.min(limit, MAX_LIMIT) }), history: true }];
    },
  },
  set_log_min_level: { kind: "command", scope: aboutLog, run: ({ level }, context) => context.setLogMinLevel(level) },
};
