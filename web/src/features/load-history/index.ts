import { opening } from "../../actions/opening.ts";
import type { PageFeature } from "../../actions/page-feature.ts";
import { hosts } from "../../state/store.ts";
import { lazyPart, lazyView } from "../../ui/lazy-view.tsx";
import { GroupHistoryButton, HostHistoryButton, openHistory, ProcessHistoryButton } from "./history-buttons.tsx";
import { HISTORY } from "./views.ts";

export const loadHistory: PageFeature = {
  views: [{ ...HISTORY, ...lazyView(async () => (await import("./history-view.tsx")).HistoryView) }],
  keys: [{ title: "History", keys: "h", near: true, run: openHistory }],
  actions: () => hosts.value.map(({ name }) => opening(`History of host ${name}`, { kind: "history", about: "host", name })),
  shortcuts: [
    "In the charts of a history",
    [
      ["← →", "move the pointer"],
      ["Shift-← →", "earlier, later"],
      ["+ −", "zoom in, zoom out"],
      ["Enter", "output and log at the pointer"],
      ["Esc", "back to the range before"],
    ],
  ],
  ProcessButton: ProcessHistoryButton,
  GroupButton: GroupHistoryButton,
  HostButton: HostHistoryButton,
  ProcessSection: lazyPart(async () => (await import("./sections/memory-section.tsx")).MemorySection),
  OverviewSection: lazyPart(async () => (await import("./sections/greediest-section.tsx")).GreediestSection),
  processCurve: { title: "10 min", Cell: lazyPart(async () => (await import("./sections/process-curve.tsx")).ProcessCurve) },
};
