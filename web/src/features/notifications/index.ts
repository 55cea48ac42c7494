import type { PageFeature } from "../../actions/page-feature.ts";
import { show } from "../../state/navigation.ts";
import { frames$ } from "../../state/store.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { NOTIFICATIONS } from "./views.ts";

export const notificationsFeature: PageFeature = {
  views: [{ ...NOTIFICATIONS, ...lazyView(async () => (await import("./notifications-view.tsx")).NotificationsView) }],
  actions: () => [{ title: "Notifications: rules, silences, history", near: true, run: () => show({ kind: "notifications" }) }],
  places: [{ view: { kind: "notifications" }, word: "Notifications", needs: "viewer", isInList: true }],
  start: () =>
    void frames$.subscribe((frame) => {
      if (frame.type === "notification" && frame.way === "browser")
        void import("./browser-notification.ts").then(({ present }) => present(frame.notification), console.info);
    }),
};
