import type { PageFeature } from "../../actions/page-feature.ts";
import { ConfirmationsButton } from "./confirmations.tsx";
import { followConfirmations } from "./confirmations-store.ts";

export const mcpFeature: PageFeature = { TopItem: ConfirmationsButton, start: followConfirmations };
