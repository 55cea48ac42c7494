import type { PageFeature } from "../../actions/page-feature.ts";
import { show } from "../../state/navigation.ts";
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
    { title: "Topics", near: true, run: () => show({ kind: "topics" }) },
    { title: "Services", near: true, run: () => show({ kind: "services" }) },
    { title: "Parameters", near: true, run: () => show({ kind: "parameters" }) },
    { title: "Clients", near: true, run: () => show({ kind: "clients" }) },
    { title: "Plot", near: true, run: () => show({ kind: "plot" }) },
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
