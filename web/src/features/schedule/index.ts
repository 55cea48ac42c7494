import type { PageFeature } from "../../actions/page-feature.ts";
import { lazyPart } from "../../ui/lazy-view.tsx";
// Receives the schedules from the page's first snapshot on.
import "./schedule-store.ts";

export const scheduleFeature: PageFeature = {
  ProcessSection: lazyPart(async () => (await import("./schedule-section.tsx")).ScheduleSection),
  OverviewSection: lazyPart(async () => (await import("./schedule-section.tsx")).SchedulesSection),
};
