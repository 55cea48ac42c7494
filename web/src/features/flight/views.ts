import type { ViewType } from "../../state/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    incidents: unknown;
    incident: { id: string };
  }
}

/** The parameter of the moment in the address of an incident, milliseconds since 1970. */
export const MOMENT = "moment";

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
  parameters: [MOMENT],
  under: "log",
  needs: () => ({ type: "request_incidents" }),
};
