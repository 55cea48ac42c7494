import type { PageFeature } from "../../actions/page-feature.ts";
import { lazyPart, lazyView } from "../../ui/lazy-view.tsx";
import { CRASH } from "./views.ts";

const parts = () => import("./parts.ts");

export const crashReports: PageFeature = {
  views: [{ ...CRASH, ...lazyView(async () => (await parts()).CrashView) }],
  ProcessSection: lazyPart(async () => (await parts()).CrashSection),
  AttentionLink: lazyPart(async () => (await parts()).CrashLink),
};
