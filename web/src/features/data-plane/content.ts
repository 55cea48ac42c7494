import { ClientsView } from "./clients-view.tsx";
import { clients, services, topics } from "./data-store.ts";
import type { TabContent } from "./data-view.tsx";
import { ParametersView } from "./parameters/parameters-view.tsx";
import { PlotView } from "./scope/plot-view.tsx";
import { plotted } from "./scope/plotted.ts";
import { ServicesView } from "./services/services-view.tsx";
import { TopicsView } from "./topics/topics-view.tsx";

/** The core tabs of the data view; their code is loaded when the first one is opened. */
export const CONTENT = {
  topics: { Content: TopicsView, items: topics },
  services: { Content: ServicesView, items: services },
  parameters: { Content: ParametersView },
  clients: { Content: ClientsView, items: clients },
  plot: { Content: PlotView, items: plotted },
} satisfies Record<string, TabContent>;
