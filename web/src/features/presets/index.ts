import type { PageFeature } from "../../actions/page-feature.ts";
import { addParameterTool } from "../data-plane/public.ts";
import { PresetsButton } from "./presets-button.tsx";

export const presetsFeature: PageFeature = { start: () => addParameterTool(PresetsButton) };
