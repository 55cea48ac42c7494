import { aboutProcess, type HandlerTable } from "../../../transport/handlers/handler.ts";
import type { limitCommands } from "../wire.ts";
import type { Limits } from "./limits.ts";

export function limitHandlers(limits: Pick<Limits, "clear">): HandlerTable<keyof typeof limitCommands> {
  return {
    clear_limits: { kind: "command", about: aboutProcess, run: ({ name }, { principal }) => limits.clear(name, principal.user) },
  };
}
