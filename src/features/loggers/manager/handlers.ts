import type { FrameObject } from "../../../transport/frame-schedule.ts";
import type { HandlerTable } from "../../../transport/handlers/handler.ts";
import type { loggerCommands } from "../wire.ts";
import type { Loggers } from "./loggers.ts";

/** `name` is null for all loggers. */
const aboutLogger = (name: string | null): FrameObject => ({ kind: "logger", name });

export function loggerHandlers(loggers: Loggers): HandlerTable<keyof typeof loggerCommands> {
  return {
    request_loggers: {
      kind: "request",
      about: () => aboutLogger(null),
      answer: () => [{ type: "loggers_snapshot", loggers: loggers.list() }],
    },
    configure_logger: {
      kind: "request",
      about: ({ name }) => aboutLogger(name),
      answer: async ({ name, only_ts, topics }, { principal }) => {
        await loggers.configure(name, { only_ts, topics }, principal.user);
        return [{ type: "logger_action_result", ok: true, action: "configure", name }];
      },
    },
    start_logger: {
      kind: "request",
      about: ({ name }) => aboutLogger(name),
      answer: async ({ name }, { principal }) => {
        await loggers.start(name, principal.user);
        return [{ type: "logger_action_result", ok: true, action: "start", name }];
      },
    },
    stop_logger: {
      kind: "request",
      about: ({ name }) => aboutLogger(name),
      answer: async ({ name }, { principal }) => {
        await loggers.stop(name, principal.user);
        return [{ type: "logger_action_result", ok: true, action: "stop", name }];
      },
    },
    delete_logger: {
      kind: "request",
      about: ({ name }) => aboutLogger(name),
      answer: async ({ name }, { principal }) => {
        await loggers.remove(name, principal.user);
        return [{ type: "logger_action_result", ok: true, action: "delete", name }];
      },
    },
  };
}
