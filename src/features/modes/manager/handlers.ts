import type { HandlerTable } from "../../../transport/handlers/handler.ts";
import type { modeCommands } from "../wire.ts";
import type { Modes } from "./modes.ts";

export function modeHandlers(modes: Modes): HandlerTable<keyof typeof modeCommands> {
  return {
    plan_mode: {
      kind: "request",
      owners: ({ name }) => modes.ownersOf(name),
      answer: ({ name }) => [modes.plan(name)],
    },
    switch_mode: {
      kind: "command",
      owners: ({ name }) => modes.ownersOf(name),
      run: ({ name }, { principal }) => modes.switchTo(name, principal.user),
    },
  };
}
