import type { PageFeature } from "../../actions/page-feature.ts";
import { ModeMenu } from "./mode-menu.tsx";
import { modes, ownersOf, switchTo } from "./modes-store.ts";

export const modesFeature: PageFeature = {
  TopItem: ModeMenu,
  actions: () =>
    modes.value.map((mode) => ({
      title: `Switch to mode ${mode.name}`,
      sends: { type: "switch_mode", name: mode.name, owners: ownersOf(mode) },
      asks: () => true,
      run: () => void switchTo(mode.name),
    })),
};
