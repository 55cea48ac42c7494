import { generalRole, includesRole } from "../../../base/access.ts";
import { MgrError } from "../../../base/errors.ts";
import type { HandlerTable } from "../../../transport/handlers/handler.ts";
import type { auditCommands } from "../wire.ts";
import type { Audit } from "./audit.ts";

export function auditHandlers(audit: Audit): HandlerTable<keyof typeof auditCommands> {
  return {
    request_audit: {
      kind: "request",
      answer: async ({ type: _type, request_id: _id, ...request }, { principal }) => {
        if (!includesRole(generalRole(principal.grants), "admin")) throw new MgrError("forbidden", "Only admins may read the audit.");
        return [{ type: "audit_page", ok: true, ...(await audit.page(request)) }];
      },
    },
  };
}
