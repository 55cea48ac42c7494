import { DEFAULT_OUTPUT_LINES } from "../../protocol/process/process-output.ts";
import type { LogEntry, LogLevel } from "../../protocol/resources/resources.ts";
import type { FrameObject } from "../frame-schedule.ts";
import { aboutProcess, type HandlerContext, type HandlerTable } from "./handler.ts";

type Types = "get_process_output" | "subscribe_process_output" | "unsubscribe_process_output" | "follow_terminal_size";

/** The object of frames about the subscriptions of this connection. */
const aboutSubscriptions = (): FrameObject => ({ kind: "output", name: null });

export const outputHandlers: HandlerTable<Types> = {
  get_process_output: {
    kind: "request",
    about: aboutProcess,
    answer: async ({ name, lines = DEFAULT_OUTPUT_LINES, seconds, times = false }, { control }) => {
      const backlog = await control.terminals.backlog(name, { lines, times, ...(seconds === undefined ? {} : { seconds }) });
      return [{ type: "process_output_snapshot", name, ...backlog }];
    },
  },
  subscribe_process_output: {
    kind: "command",
    about: aboutSubscriptions,
    run: ({ patterns }, context) => context.subscribeOutput(patterns),
  },
  unsubscribe_process_output: {
    kind: "command",
    about: aboutSubscriptions,
    run: ({ patterns }, context) => context.unsubscribeOutput(patterns),
  },
  follow_terminal_size: {
    kind: "request",
    about: aboutProcess,
    answer: ({ name, follow = true }, context) => [context.followTerminal(name, follow)],
  },
};

type LogTypes = "request_logs" | "set_log_min_level";

export const logHandlers: HandlerTable<LogTypes> = {
  request_logs: {
    kind: "request",
    answer: (range, context) => {
      context.flushEvents();
      return [{ type: "log_batch", entries: shownOf(range, context), history: true }];
    },
  },
  set_log_min_level: { kind: "command", run: ({ level }, context) => context.setLogMinLevel(level) },
};

/** The last `limit` entries that the user may see. */
function shownOf({ limit, ...range }: { level?: LogLevel; limit?: number; before?: number }, context: HandlerContext): LogEntry[] {
  const { log } = context.control;
  if (context.hiddenNames === null) return log.entries({ ...range, ...(limit === undefined ? {} : { limit }) });
  return context.hiddenNames.log(log.entries(range), limit);
}
