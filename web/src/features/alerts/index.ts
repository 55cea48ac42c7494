import type { PageFeature } from "../../actions/page-feature.ts";
import { addAttentionSource } from "../../state/attention.ts";
import { reasonsOf } from "./alerts-store.ts";

export const alertsFeature: PageFeature = { start: () => addAttentionSource(reasonsOf) };
