import { encodeFrame } from "../../../protocol/frames/encode.ts";
import { type HandlerContext, type HandlerTable, perConnection } from "../../../transport/handlers/handler.ts";
import type { mcpCommands } from "../wire.ts";
import type { Confirmations } from "./confirmations.ts";
import { ConnectionRequests } from "./connection-requests.ts";

export function mcpHandlers(confirmations: Confirmations): HandlerTable<keyof typeof mcpCommands> {
  const requestsOf = perConnection(
    () => new ConnectionRequests(),
    (requests) => requests.close(),
  );
  const followerOf = perConnection(
    (context) => ({ end: follow(confirmations, context) }),
    ({ end }) => end(),
  );
  return {
    ask_confirmation: {
      kind: "request",
      answer: async ({ name, action, tool, key }, context) => {
        const requests = requestsOf(context);
        const cancelled = requests.begin(key);
        try {
          const by = await confirmations.request({ name, action, tool }, context.principal, cancelled);
          return [{ type: "confirmation", ok: true, name, by }];
        } finally {
          requests.end(key);
        }
      },
    },
    cancel_confirmation: { kind: "command", run: ({ key }, context) => requestsOf(context).cancel(key) },
    follow_confirmations: { kind: "command", run: (_frame, context) => void followerOf(context) },
    answer_confirmation: { kind: "command", run: (frame, { principal }) => confirmations.answer(frame, principal) },
    // The observers of commands record it, as they do each command.
    record_agent_call: { kind: "command", run: () => {} },
  };
}

/** A slow client gets the newest list only. */
function follow(confirmations: Confirmations, context: HandlerContext): () => void {
  return confirmations.follow(context.principal, (open) =>
    context.push({ bytes: encodeFrame({ type: "confirmations", confirmations: [...open] }), mergeKey: "confirmations" }),
  );
}
