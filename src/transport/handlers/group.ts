import type { HandlerTable } from "./handler.ts";

type Types = "start_group" | "stop_group" | "restart_group";

export const groupHandlers: HandlerTable<Types> = {
  start_group: { kind: "command", isKept: true, run: ({ name }, { control, principal }) => control.startGroup(name, principal) },
  stop_group: { kind: "command", isKept: true, run: ({ name }, { control, principal }) => control.stopGroup(name, principal) },
  restart_group: { kind: "command", isKept: true, run: ({ name }, { control, principal }) => control.restartGroup(name, principal) },
};
