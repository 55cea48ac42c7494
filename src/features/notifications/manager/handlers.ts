import type { HandlerTable } from "../../../transport/handlers/handler.ts";
import type { notificationCommands } from "../wire.ts";
import type { Notifications } from "./notifications.ts";

export function notificationHandlers(notifications: Notifications): HandlerTable<keyof typeof notificationCommands> {
  return {
    request_notifications: { kind: "request", answer: () => [{ type: "notifications", ...notifications.overview() }] },
    create_silence: {
      kind: "request",
      answer: async ({ pattern, seconds, reason = "" }, { principal }) => [
        {
          type: "silence_created",
          ok: true,
          pattern,
          silence: await notifications.silence({ pattern, seconds, reason, by: principal.user }),
        },
      ],
    },
    remove_silence: { kind: "command", run: ({ id }, { principal }) => notifications.endSilence(id, principal.user) },
    test_way: {
      kind: "request",
      answer: async ({ way }, { principal }) => [{ type: "way_tested", ok: true, way, ...(await notifications.test(way, principal.user)) }],
    },
  };
}
