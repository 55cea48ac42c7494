import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { outputRunsHandlers } from "./handlers.ts";
import { OutputEnds } from "./output-ends.ts";
import { outputRoute } from "./output-route.ts";

/** Runs of processes and their output: downloads, and which processes have written since they were last viewed. */
export const outputRuns: ManagerFeature<null> = {
  name: "output-runs",
  attach: ({ clock, hosts, processes }) => ({ service: null, ...outputRunsExtension(new OutputEnds({ clock, hosts, processes })) }),
};

export function outputRunsExtension(ends: Pick<OutputEnds, "since">): FeatureExtension {
  return { transport: { handlers: outputRunsHandlers(ends) }, http: { routes: (services) => [outputRoute(services)] } };
}
