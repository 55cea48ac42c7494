import type { HandlerTable } from "../../../transport/handlers/handler.ts";
import type { forwardCommands } from "../wire.ts";
import type { Forwards } from "./forwards.ts";

export function forwardHandlers(forwards: Forwards): HandlerTable<keyof typeof forwardCommands> {
  return {
    request_forwards: { kind: "request", answer: () => [{ type: "forwards", forwards: forwards.list() }] },
    close_forward: { kind: "command", run: ({ id }, { principal }) => forwards.close(id, principal) },
  };
}
