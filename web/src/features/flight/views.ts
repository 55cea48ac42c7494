import type { ViewType } from "../../state/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    incidents: unknown;
    incident: { id: string };
  }
}

/** The parameters of what is shown of an incident, in its address: times in milliseconds since 1970, a terminal, and plotted fields (incident-address.ts). */
export const PART = { moment: "moment", from: "from", until: "until", terminal: "terminal", trace: "trace" } as const;

export const INCIDENTS: ViewType<"incidents"> = {
  kind: "incidents",
  icon: "signal",
  title: "Incidents",
  under: "log",
  needs: () => ({ type: "request_incidents" }),
};
export const INCIDENT: ViewType<"incident"> = {
  kind: "incident",
  icon: "signal",
  titleOf: ({ id }) => `Incident ${id}`,
  fields: { id: { parameter: "incident" } },
  parameters: Object.values(PART),
  under: "log",
  needs: () => ({ type: "request_incidents" }),
};
