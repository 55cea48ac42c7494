import type { Action } from "../../actions/action.ts";
import { opening } from "../../actions/opening.ts";
import type { PageFeature } from "../../actions/page-feature.ts";
import { current } from "../../state/navigation.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { MergedButton } from "./merged-button.tsx";
import { openSearch, textOfTerminalSearch } from "./open-search.ts";
import { ALL, MERGED, SEARCH } from "./views.ts";

export const outputSearchFeature: PageFeature = {
  views: [
    { ...SEARCH, ...lazyView(async () => (await import("./search/search-view.tsx")).SearchView) },
    { ...MERGED, ...lazyView(async () => (await import("./merged/merged-view.tsx")).MergedView) },
  ],
  places: [{ view: { kind: "search" }, word: "Output" }],
  keys: [
    {
      title: "Search the output of all processes",
      keys: "Ctrl-Shift-F",
      near: true,
      run: () => openSearch({ pattern: textOfTerminalSearch() }),
    },
  ],
  actions: () => {
    const view = current.value;
    const actions: Action[] = [opening("Output of all processes in one view", { kind: "merged", of: ALL }, { near: true })];
    if (view.kind === "process" || view.kind === "group")
      actions.unshift({ title: `Search the output of ${view.name}`, near: true, run: () => openSearch({ names: view.name }) });
    if (view.kind === "group")
      actions.unshift(opening(`Output of ${view.name} in one view`, { kind: "merged", of: view.name }, { near: true }));
    return actions;
  },
  GroupButton: MergedButton,
  shortcuts: [
    "In the search of output",
    [
      ["Enter", "search; on a hit: open the terminal there"],
      ["↑ ↓ PgUp PgDn", "move through the hits"],
      ["→ ←  Space", "show and hide the lines around a hit"],
      ["Alt-C  Alt-R", "match case, regular expression"],
      ["Esc", "cancel the search, then back to the pattern"],
    ],
  ],
};
