import type { ViewType } from "../../state/views.ts";

/** The subject of a history: processes (a process, or a group with all its members), a host, or all processes. */
export type HistorySubject = "processes" | "host" | "all";

declare module "../../state/views.ts" {
  interface ViewFields {
    history: { about: HistorySubject; name?: string };
  }
}

/** The parameters of the range in the address (shown-range.ts). */
export const RANGE_PARAMETERS = ["range", "from", "until"] as const;

const lastPart = (name: string) => name.slice(name.lastIndexOf("/") + 1);

export const HISTORY: ViewType<"history"> = {
  kind: "history",
  icon: "history",
  titleOf: ({ name }) => (name === undefined ? "History" : `History of ${lastPart(name)}`),
  fields: { about: { parameter: "history" }, name: { parameter: "of", isOptional: true } },
  parameters: RANGE_PARAMETERS,
  needs: ({ about, name = "" }) => (about === "host" ? { type: "request_host_load_history", host: name } : null),
};
