import { opening } from "../../actions/opening.ts";
import type { PageFeature } from "../../actions/page-feature.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { DisplayButton } from "./display-button.tsx";
import { offerDisplays } from "./display-of.ts";
import { vncSessions } from "./sessions.ts";
import { DISPLAY, SESSION } from "./views.ts";

const drawn = lazyView(async () => (await import("./display-view.tsx")).DisplayView);

export const displays: PageFeature = {
  views: [
    { ...DISPLAY, ...drawn },
    { ...SESSION, ...drawn },
  ],
  places: [{ view: { kind: "display" }, word: "Display" }],
  actions: () => [
    opening("Your display: graphical programs", { kind: "display" }, { near: true }),
    ...vncSessions.value.flatMap(({ kind, process }) =>
      kind === "configured" ? [opening(`Display of ${process}`, { kind: "session", name: process })] : [],
    ),
  ],
  ProcessButton: DisplayButton,
  start: offerDisplays,
};
