import type { PageFeature } from "../../actions/page-feature.ts";
import { lazyPart } from "../../ui/lazy-view.tsx";

export const runningSettings: PageFeature = {
  ProcessSection: lazyPart(async () => (await import("./settings-section.tsx")).SettingsSection),
};
