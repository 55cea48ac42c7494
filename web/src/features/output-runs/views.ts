import type { ViewType } from "../../state/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    /** The last runs of a process. */
    runs: { name: string };
  }
}

export const RUNS: ViewType<"runs"> = {
  kind: "runs",
  icon: "runs",
  titleOf: ({ name }) => `Runs of ${name.slice(name.lastIndexOf("/") + 1)}`,
  fields: { name: { parameter: "runs" } },
};
