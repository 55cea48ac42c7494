import { opening } from "../../actions/opening.ts";
import type { PageFeature } from "../../actions/page-feature.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { HostClock } from "./host-clock.tsx";
import { keepSnapshot } from "./incident-actions.ts";
import { INCIDENT, INCIDENTS } from "./views.ts";

export const flightFeature: PageFeature = {
  views: [
    { ...INCIDENTS, ...lazyView(async () => (await import("./incidents-view.tsx")).IncidentsView) },
    { ...INCIDENT, ...lazyView(async () => (await import("./incident-view.tsx")).IncidentView) },
  ],
  places: [{ view: { kind: "incidents" }, word: "Incidents", isInList: true }],
  HostFact: HostClock,
  actions: () => [
    opening("Incidents", { kind: "incidents" }, { near: true }),
    {
      title: "Keep a snapshot of the last 30 seconds of all hosts",
      sends: { type: "keep_incident" },
      run: () => void keepSnapshot(""),
    },
  ],
};
