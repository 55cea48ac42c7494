import type { SingleKind, ViewType } from "../../state/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    topics: unknown;
    services: unknown;
    parameters: unknown;
    clients: unknown;
    plot: unknown;
  }
}

/** The parameters of the plot in the address (plot/plot-address.ts). */
export const PLOT_PARAMETERS = ["trace", "seconds", "scale"] as const;

/** A view that is a tab of the data view. */
export const tabType = <Kind extends SingleKind>(kind: Kind, title: string): ViewType<Kind> => ({
  kind,
  title,
  icon: "data",
  under: "topics",
  needs: () => ({ type: "request_topics" }),
});

export const TOPICS = tabType("topics", "Topics");
export const SERVICES = tabType("services", "Services");
export const PARAMETERS = tabType("parameters", "Parameters");
export const CLIENTS = tabType("clients", "Clients");
export const PLOT: ViewType<"plot"> = { ...tabType("plot", "Plot"), parameters: PLOT_PARAMETERS };
