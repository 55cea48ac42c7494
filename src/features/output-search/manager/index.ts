import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { outputSearchHandlers } from "./handlers.ts";
import { type SearchOutput, searchOutput } from "./output-search.ts";

/** Searches the output of processes on their hosts. */
export const outputSearch: ManagerFeature<null> = {
  name: "output-search",
  attach: (core) => ({ service: null, ...outputSearchExtension((query, options) => searchOutput(query, { ...options, core })) }),
};

export function outputSearchExtension(search: SearchOutput): FeatureExtension {
  return { transport: { handlers: outputSearchHandlers(search) } };
}
