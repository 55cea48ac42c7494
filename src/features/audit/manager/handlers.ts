import type { HandlerTable } from "../../../transport/handlers/handler.ts";
import type { auditCommands } from "../wire.ts";
import type { Audit } from "./audit.ts";

export function auditHandlers(audit: Audit): HandlerTable<keyof typeof auditCommands> {
  return {
    request_audit: {
      kind: "request",
      answer: async ({ type: _type, request_id: _id, ...request }) => [{ type: "audit_page", ok: true, ...(await audit.page(request)) }],
    },
  };
}
