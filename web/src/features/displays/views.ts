import type { ViewType } from "../../state/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    /** The user's own display. */
    display: unknown;
    /** The display of a configured VNC server, by the name of its process. */
    session: { name: string };
  }
}

export const DISPLAY: ViewType<"display"> = {
  kind: "display",
  icon: "screen",
  title: "Display",
  needs: () => ({ need: "operator", on: null }),
};
export const SESSION: ViewType<"session"> = {
  kind: "session",
  icon: "screen",
  fields: { name: { parameter: "session" } },
  under: "display",
  // A viewer of a display can also type into its programs.
  needs: ({ name }) => ({ need: "typing", on: name }),
};
