import type { ViewOf, ViewType } from "../../state/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    /** The last start of all processes. */
    starts: unknown;
    /** The last start of a process or group. */
    starts_of: { name: string };
  }
}

export const STARTS: ViewType<"starts"> = { kind: "starts", icon: "gantt", title: "Last start", under: "all" };

export const STARTS_OF: ViewType<"starts_of"> = {
  kind: "starts_of",
  icon: "gantt",
  titleOf: ({ name }) => `Start of ${name.slice(name.lastIndexOf("/") + 1)}`,
  fields: { name: { parameter: "start" } },
};

/** The view of the last start of a process or group; of all if the name is empty. */
export const startsOf = (name: string): ViewOf<"starts" | "starts_of"> => (name === "" ? { kind: "starts" } : { kind: "starts_of", name });
