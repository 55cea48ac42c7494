import { type Action, choice } from "../../actions/action.ts";
import { opening } from "../../actions/opening.ts";
import type { PageFeature } from "../../actions/page-feature.ts";
import { show } from "../../state/navigation.ts";
import { hosts } from "../../state/store.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { pace, showAllTraffic, showConnections } from "./network-store.ts";
import { SECTIONS, section } from "./section.ts";
import { NETWORK } from "./views.ts";

const VIEW = { kind: "network" } as const;

export const networkStatistics: PageFeature = {
  views: [{ ...NETWORK, ...lazyView(async () => (await import("./network-view.tsx")).NetworkView) }],
  places: [{ view: { kind: "network" }, word: "Network" }],
  keys: [opening("Network", VIEW, { keys: "e", near: true })],
  actions: () => [
    ...SECTIONS.map((one) => onView(choice(`Network: ${one}`, section, one))),
    ...hosts.value.map(({ name }) => onView({ title: `TCP connections of ${name}`, run: () => showConnections(name) })),
    onView({ title: "Network: show all that is hidden", run: showAllTraffic }),
    { ...choice(`Network: ${pace.value === 0 ? "resume" : "pause"} sampling`, pace, pace.value === 0 ? 2 : 0), view: VIEW },
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
function onView(action: Action): Action {
  return {
    ...action,
    view: VIEW,
    run: () => {
      action.run();
      show(VIEW);
    },
  };
}
