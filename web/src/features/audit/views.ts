import type { ViewType } from "../../state/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    /** Recorded commands. */
    audit: unknown;
  }
}

export const AUDIT: ViewType<"audit"> = {
  kind: "audit",
  icon: "lock",
  title: "Audit",
  under: "log",
  needs: () => ({ type: "request_audit" }),
};
