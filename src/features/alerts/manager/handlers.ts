import { aboutProcess, type HandlerTable } from "../../../transport/handlers/handler.ts";
import type { alertCommands } from "../wire.ts";
import type { Alerts } from "./alerts.ts";

export function alertHandlers(alerts: Pick<Alerts, "clear">): HandlerTable<keyof typeof alertCommands> {
  return {
    clear_alert: { kind: "command", about: aboutProcess, run: ({ name }, { principal }) => alerts.clear(name, principal.user) },
  };
}
