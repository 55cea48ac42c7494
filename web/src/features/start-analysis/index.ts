import { opening } from "../../actions/opening.ts";
import type { PageFeature } from "../../actions/page-feature.ts";
import { current } from "../../state/navigation.ts";
import { lazyPart, lazyView } from "../../ui/lazy-view.tsx";
import { StartsButton } from "./starts-button.tsx";
import { STARTS, STARTS_OF, startsOf } from "./views.ts";

const view = lazyView(async () => (await import("./starts-view.tsx")).StartsView);
const section = lazyPart(async () => (await import("./start-section.tsx")).StartSection);

export const startAnalysis: PageFeature = {
  views: [
    { ...STARTS, ...view },
    { ...STARTS_OF, ...view },
  ],
  actions: () => {
    const shown = current.value;
    const own = shown.kind === "process" || shown.kind === "group" ? shown.name : null;
    return [
      opening("Last start: critical chain of all processes", { kind: "starts" }, { near: true }),
      ...(own === null ? [] : [opening(`Last start: critical chain of ${own}`, startsOf(own), { near: true })]),
    ];
  },
  GroupButton: StartsButton,
  ProcessSection: section,
  shortcuts: [
    "In the chart of the last start",
    [
      ["↑ ↓ PgUp PgDn", "move"],
      ["Enter", "open the process"],
    ],
  ],
};
