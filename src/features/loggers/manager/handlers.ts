import type { FrameObject } from "../../../transport/frame-schedule.ts";
import type { HandlerTable } from "../../../transport/handlers/handler.ts";

/** null: all of them. */
const aboutLogger = (name: string | null): FrameObject => ({ kind: "logger", name });

export const loggerHandlers: HandlerTable<"request_loggers" | "configure_logger" | "start_logger" | "stop_logger" | "delete_logger"> = {
  request_loggers: {
    kind: "request",
    about: () => aboutLogger(null),
    answer: (_frame, { control }) => [{ type: "loggers_snapshot", loggers: control.loggers.list() }],
  },
  configure_logger: {
    kind: "request",
    about: ({ name }) => aboutLogger(name),
    answer: async ({ name, only_ts, topics }, { control, principal }) => {
      await control.loggers.configure(name, { only_ts, topics }, principal.user);
      return [{ type: "logger_action_result", ok: true, action: "configure", name }];
    },
  },
  start_logger: {
    kind: "request",
    about: ({ name }) => aboutLogger(name),
    answer: async ({ name }, { control, principal }) => {
      await control.loggers.start(name, principal.user);
      return [{ type: "logger_action_result", ok: true, action: "start", name }];
    },
  },
  stop_logger: {
    kind: "request",
    about: ({ name }) => aboutLogger(name),
    answer: async ({ name }, { control, principal }) => {
      await control.loggers.stop(name, principal.user);
      return [{ type: "logger_action_result", ok: true, action: "stop", name }];
    },
  },
  delete_logger: {
    kind: "request",
    about: ({ name }) => aboutLogger(name),
    answer: async ({ name }, { control, principal }) => {
      await control.loggers.remove(name, principal.user);
      return [{ type: "logger_action_result", ok: true, action: "delete", name }];
    },
  },
};
