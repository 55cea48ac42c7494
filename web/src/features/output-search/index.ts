import type { PageFeature } from "../../actions/page-feature.ts";
import { current } from "../../state/navigation.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { openSearch, textOfTerminalSearch } from "./open-search.ts";
import { SEARCH } from "./views.ts";

export const outputSearchFeature: PageFeature = {
  views: [{ ...SEARCH, ...lazyView(async () => (await import("./search/search-view.tsx")).SearchView) }],
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
    if (view.kind !== "process" && view.kind !== "group") return [];
    return [{ title: `Search the output of ${view.name}`, near: true, run: () => openSearch({ names: view.name }) }];
  },
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
