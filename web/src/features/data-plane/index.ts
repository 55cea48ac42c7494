import { opening } from "../../actions/opening.ts";
import type { PageFeature } from "../../actions/page-feature.ts";
import { followBus } from "./data-store.ts";
import { addDataTab, dataView } from "./tabs.tsx";
import { CLIENTS, PARAMETERS, PLOT, SERVICES, TOPICS } from "./views.ts";

const content = async () => (await import("./content.ts")).CONTENT;

export const dataPlane: PageFeature = {
  views: [
    { ...TOPICS, ...dataView },
    { ...SERVICES, ...dataView },
    { ...PARAMETERS, ...dataView },
    { ...CLIENTS, ...dataView },
    { ...PLOT, ...dataView },
  ],
  places: [{ view: { kind: "topics" }, word: "Data" }],
  actions: () => [
    opening("Topics", { kind: "topics" }, { near: true }),
    opening("Services", { kind: "services" }, { near: true }),
    opening("Parameters", { kind: "parameters" }, { near: true }),
    opening("Clients", { kind: "clients" }, { near: true }),
    opening("Plot", { kind: "plot" }, { near: true }),
  ],
  start: () => {
    followBus();
    addDataTab(TOPICS, async () => (await content()).topics);
    addDataTab(SERVICES, async () => (await content()).services);
    addDataTab(PARAMETERS, async () => (await content()).parameters);
    addDataTab(CLIENTS, async () => (await content()).clients);
    addDataTab(PLOT, async () => (await content()).plot);
  },
};
