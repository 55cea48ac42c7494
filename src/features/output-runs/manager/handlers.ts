import type { HandlerTable } from "../../../transport/handlers/handler.ts";
import type { outputRunsCommands } from "../wire.ts";
import type { OutputEnds } from "./output-ends.ts";

export function outputRunsHandlers(ends: Pick<OutputEnds, "since">): HandlerTable<keyof typeof outputRunsCommands> {
  return {
    request_output_ends: { kind: "request", answer: async ({ after }, { view }) => [await ends.since(after, view)] },
  };
}
