import type { SingleKind, ViewType } from "../../state/views.ts";
import type { GeneralFrame } from "../../state/wanted.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    topics: unknown;
    services: unknown;
    parameters: unknown;
    clients: unknown;
    plot: unknown;
  }
}

/** The parameters of the plot in the address (scope/plot-address.ts). */
export const PLOT_PARAMETERS = ["trace", "derived", "seconds", "scale", "trigger"] as const;

/** A view that is a tab of the data view. `type`: a frame that users need who open it. */
export const tabType = <Kind extends SingleKind>(kind: Kind, title: string, type: GeneralFrame): ViewType<Kind> => ({
  kind,
  title,
  icon: "data",
  under: "topics",
  needs: () => ({ type }),
});

export const TOPICS = tabType("topics", "Topics", "request_topics");
export const SERVICES = tabType("services", "Services", "request_services");
export const PARAMETERS = tabType("parameters", "Parameters", "request_parameters");
export const CLIENTS = tabType("clients", "Clients", "request_clients");
export const PLOT: ViewType<"plot"> = { ...tabType("plot", "Plot", "subscribe_topic"), parameters: PLOT_PARAMETERS };
