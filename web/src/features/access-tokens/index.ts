import type { PageFeature } from "../../actions/page-feature.ts";
import { show } from "../../state/navigation.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { ACCESS } from "./views.ts";

export const accessTokens: PageFeature = {
  views: [{ ...ACCESS, ...lazyView(async () => (await import("./access-view.tsx")).AccessView) }],
  actions: () => [{ title: "Access: links and tokens", near: true, run: () => show({ kind: "access" }) }],
};
