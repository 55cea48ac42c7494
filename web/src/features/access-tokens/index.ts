import { opening } from "../../actions/opening.ts";
import type { PageFeature } from "../../actions/page-feature.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { ACCESS } from "./views.ts";

export const accessTokens: PageFeature = {
  views: [{ ...ACCESS, ...lazyView(async () => (await import("./access-view.tsx")).AccessView) }],
  actions: () => [opening("Access: links and tokens", { kind: "access" }, { near: true })],
  places: [{ view: { kind: "access" }, word: "Access", isInList: true }],
};
