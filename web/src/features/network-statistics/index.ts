import { type Action, choice } from "../../actions/action.ts";
import type { PageFeature } from "../../actions/page-feature.ts";
import { show } from "../../state/navigation.ts";
import { hosts } from "../../state/store.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { pace, showAllTraffic, showConnections } from "./network-store.ts";
import { SECTIONS, section } from "./section.ts";
import { NETWORK } from "./views.ts";

const open = () => show({ kind: "network" });

export const networkStatistics: PageFeature = {
  views: [{ ...NETWORK, ...lazyView(async () => (await import("./network-view.tsx")).NetworkView) }],
  places: [{ view: { kind: "network" }, word: "Network", needs: "viewer" }],
  keys: [{ title: "Network", keys: "e", near: true, run: open }],
  actions: () => [
    ...SECTIONS.map((one) => opening(choice(`Network: ${one}`, section, one))),
    ...hosts.value.map(({ name }) => opening({ title: `TCP connections of ${name}`, run: () => showConnections(name) })),
    opening({ title: "Network: show all that is hidden", run: showAllTraffic }),
    choice(`Network: ${pace.value === 0 ? "resume" : "pause"} sampling`, pace, pace.value === 0 ? 2 : 0),
  ],
  shortcuts: [
    "In the network tables",
    [
      ["↑ ↓ ← →", "move, close, open"],
      ["Enter", "open a link, show one host only"],
      ["Del", "hide the row"],
    ],
  ],
};

/** The action, which also opens the view that shows its effect. */
function opening(action: Action): Action {
  return {
    ...action,
    run: () => {
      action.run();
      open();
    },
  };
}
