import { opening } from "../../actions/opening.ts";
import type { PageFeature } from "../../actions/page-feature.ts";
import { frames$ } from "../../state/store.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { NOTIFICATIONS } from "./views.ts";

export const notificationsFeature: PageFeature = {
  views: [{ ...NOTIFICATIONS, ...lazyView(async () => (await import("./notifications-view.tsx")).NotificationsView) }],
  keys: [opening("Notifications: rules, silences, history", { kind: "notifications" }, { keys: "m", near: true })],
  places: [{ view: { kind: "notifications" }, word: "Notifications", isInList: true }],
  start: () =>
    void frames$.subscribe((frame) => {
      if (frame.type === "notification" && frame.way === "browser")
        void import("./browser-notification.ts").then(({ present }) => present(frame.notification), console.info);
    }),
};
