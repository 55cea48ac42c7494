import type { PageFeature } from "../../actions/page-feature.ts";
import { show } from "../../state/navigation.ts";
import { dataTab } from "./tabs.tsx";
import { PLOT, tabType } from "./views.ts";

const content = async () => (await import("./content.ts")).CONTENT;

export const dataPlane: PageFeature = {
  views: [
    dataTab(tabType("topics", "Topics"), async () => (await content()).topics),
    dataTab(tabType("services", "Services"), async () => (await content()).services),
    dataTab(tabType("parameters", "Parameters"), async () => (await content()).parameters),
    dataTab(tabType("clients", "Clients"), async () => (await content()).clients),
    dataTab(PLOT, async () => (await content()).plot),
  ],
  places: [{ view: { kind: "topics" }, word: "Data" }],
  actions: () => [
    { title: "Topics", near: true, run: () => show({ kind: "topics" }) },
    { title: "Services", near: true, run: () => show({ kind: "services" }) },
    { title: "Parameters", near: true, run: () => show({ kind: "parameters" }) },
    { title: "Clients", near: true, run: () => show({ kind: "clients" }) },
    { title: "Plot", near: true, run: () => show({ kind: "plot" }) },
  ],
};
