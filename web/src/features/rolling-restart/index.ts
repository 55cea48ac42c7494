import type { PageFeature } from "../../actions/page-feature.ts";
import { RollingButton } from "./rolling-button.tsx";

export const rollingRestartFeature: PageFeature = { GroupButton: RollingButton };
