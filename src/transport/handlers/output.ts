import { aboutOutput, byName, type HandlerTable } from "./handler.ts";

type Types = "get_process_output" | "subscribe_process_output" | "unsubscribe_process_output";

/** Lines of backlog: what is asked beyond the maximum is the maximum (protocol-decisions, "Answers and errors"). */
const DEFAULT_LINES = 1_000;
const MAX_LINES = 100_000;

export const outputHandlers: HandlerTable<Types> = {
  get_process_output: {
    kind: "request",
    scope: byName,
    answer: async ({ name, lines = DEFAULT_LINES }, { control }) => {
      const backlog = await control.readBacklog(name, Math.min(lines, MAX_LINES));
      return [{ type: "process_output_snapshot", name, ...backlog }];
    },
  },
  subscribe_process_output: {
    kind: "command",
    scope: aboutOutput,
    run: ({ patterns }, context) => context.subscribeOutput(patterns),
  },
  unsubscribe_process_output: {
    kind: "command",
    scope: aboutOutput,
    run: ({ patterns }, context) => context.unsubscribeOutput(patterns),
  },
};
