import type { HandlerTable } from "./handler.ts";

type Types = "start_group" | "stop_group" | "restart_group";

export const groupHandlers: HandlerTable<Types> = {
  start_group: {
    kind: "command",
    isKept: true,
    run: ({ name }, { control, principal }) => control.commands.group("start", name, principal.user),
  },
  stop_group: {
    kind: "command",
    isKept: true,
    run: ({ name }, { control, principal }) => control.commands.group("stop", name, principal.user),
  },
  restart_group: {
    kind: "command",
    isKept: true,
    run: ({ name }, { control, principal }) => control.commands.group("restart", name, principal.user),
  },
};
