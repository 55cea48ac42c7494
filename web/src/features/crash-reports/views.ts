import type { ViewType } from "../../state/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    /** A crash report: of a process, and of one of its runs. */
    crash: { name: string; run: string };
  }
}

export const CRASH: ViewType<"crash"> = {
  kind: "crash",
  icon: "signal",
  titleOf: ({ name }) => `Crash of ${name.slice(name.lastIndexOf("/") + 1)}`,
  fields: { name: { parameter: "crash" }, run: { parameter: "run" } },
};
