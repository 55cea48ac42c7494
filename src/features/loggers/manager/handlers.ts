import type { FrameOf } from "../../../protocol/frames/frames.ts";
import { aboutNamed, type HandlerContext, type HandlerTable } from "../../../transport/handlers/handler.ts";
import type { loggerCommands } from "../wire.ts";
import type { Loggers } from "./loggers.ts";

type Action = "configure" | "start" | "stop" | "delete";

/** `name` is null for all loggers. */
const aboutLogger = aboutNamed("logger");

export function loggerHandlers(loggers: Loggers): HandlerTable<keyof typeof loggerCommands> {
  const action = <Frame extends { name: string }>(name: Action, run: (frame: Frame, by: string) => Promise<void>) =>
    ({
      kind: "request",
      about: aboutLogger,
      answer: async (frame: Frame, { principal }: HandlerContext) => {
        await run(frame, principal.user);
        return [{ type: "logger_action_result", ok: true, action: name, name: frame.name }] as const;
      },
    }) as const;
  return {
    request_loggers: {
      kind: "request",
      about: () => ({ kind: "logger", name: null }),
      answer: () => [{ type: "loggers_snapshot", loggers: loggers.list() }],
    },
    configure_logger: action("configure", ({ name, only_ts, topics }: FrameOf<"configure_logger">, by) =>
      loggers.configure(name, { only_ts, topics }, by),
    ),
    start_logger: action("start", ({ name }, by) => loggers.start(name, by)),
    stop_logger: action("stop", ({ name }, by) => loggers.stop(name, by)),
    delete_logger: action("delete", ({ name }, by) => loggers.remove(name, by)),
  };
}
