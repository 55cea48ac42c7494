import type { ViewType } from "../../state/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    incidents: unknown;
    incident: { id: string };
  }
}

/** The parameters of what is shown of an incident, in its address (incident-address.ts). No other view has them: those of other views are removed. */
export const PART = { moment: "moment", span: "span", terminal: "terminal", field: "field" } as const;

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
