import { kept } from "../../state/settings.ts";

export const SECTIONS = ["links", "interfaces", "hosts", "graph"] as const;
export type Section = (typeof SECTIONS)[number];

/** The part of the network view that is shown. */
export const section = kept<Section>("networkSection", "links", (value) => SECTIONS.find((one) => one === value) ?? null);
