import type { PageFeature } from "../../actions/page-feature.ts";
import { refusalOf } from "../../state/access.ts";
import { show } from "../../state/navigation.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { ACCESS } from "./views.ts";

export const accessTokens: PageFeature = {
  views: [{ ...ACCESS, ...lazyView(async () => (await import("./access-view.tsx")).AccessView) }],
  actions: () =>
    refusalOf("Access", "admin", "everything") === null
      ? [{ title: "Access: links and tokens", near: true, run: () => show({ kind: "access" }) }]
      : [],
  places: [{ view: { kind: "access" }, word: "Access", needs: "admin", isInList: true }],
};
