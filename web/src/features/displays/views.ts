import type { ViewType } from "../../state/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    /** The user's own display. */
    display: unknown;
    /** The display of a configured VNC server, by the name of its process. */
    session: { name: string };
  }
}

export const DISPLAY: ViewType<"display"> = { kind: "display", icon: "screen", title: "Display" };
export const SESSION: ViewType<"session"> = {
  kind: "session",
  icon: "screen",
  fields: { name: { parameter: "session" } },
  under: "display",
};
