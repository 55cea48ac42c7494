import type { PageFeature } from "../../actions/page-feature.ts";
import { ModeMenu } from "./mode-menu.tsx";
import { modes, switchTo } from "./modes-store.ts";

export const modesFeature: PageFeature = {
  TopItem: ModeMenu,
  actions: () => modes.value.map(({ name }) => ({ title: `Switch to mode ${name}`, run: () => void switchTo(name) })),
};
