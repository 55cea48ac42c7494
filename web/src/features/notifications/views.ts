import type { ViewType } from "../../state/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    notifications: unknown;
  }
}

export const NOTIFICATIONS: ViewType<"notifications"> = {
  kind: "notifications",
  icon: "bell",
  title: "Notifications",
  needs: () => ({ type: "request_notifications" }),
};
