import type { ViewType } from "../../state/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    network: unknown;
  }
}

export const NETWORK: ViewType<"network"> = {
  kind: "network",
  icon: "network",
  title: "Network",
  needs: () => ({ type: "request_network_stats" }),
};
