import type { PageFeature } from "../../actions/page-feature.ts";
import { show } from "../../state/navigation.ts";
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
  places: [{ view: { kind: "display" }, word: "Display", needs: "operator" }],
  actions: () => [
    { title: "Your display: graphical programs", near: true, run: () => show({ kind: "display" }) },
    ...vncSessions.value.flatMap(({ kind, process }) =>
      kind === "configured" ? [{ title: `Display of ${process}`, run: () => show({ kind: "session", name: process }) }] : [],
    ),
  ],
  ProcessButton: DisplayButton,
  start: offerDisplays,
};
