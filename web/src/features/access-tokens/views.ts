import type { ViewType } from "../../state/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    /** The access tokens. */
    access: unknown;
  }
}

export const ACCESS: ViewType<"access"> = {
  kind: "access",
  icon: "lock",
  title: "Access",
  under: "all",
  needs: () => ({ type: "request_access_tokens" }),
};
