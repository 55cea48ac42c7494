import { DEFAULT_OUTPUT_LINES } from "../../protocol/process/process-output.ts";
import type { HandlerTable } from "./handler.ts";

type Types = "get_process_output" | "subscribe_process_output" | "unsubscribe_process_output";

export const outputHandlers: HandlerTable<Types> = {
  get_process_output: {
    kind: "request",
    answer: async ({ name, lines = DEFAULT_OUTPUT_LINES }, { control }) => {
      const backlog = await control.terminals.backlog(name, lines);
      return [{ type: "process_output_snapshot", name, ...backlog }];
    },
  },
  subscribe_process_output: {
    kind: "command",
    run: ({ patterns }, context) => context.subscribeOutput(patterns),
  },
  unsubscribe_process_output: {
    kind: "command",
    run: ({ patterns }, context) => context.unsubscribeOutput(patterns),
  },
};
