import { computed } from "@preact/signals";
import { kept } from "../../state/settings.ts";

const isBoolean = (value: unknown) => (typeof value === "boolean" ? value : null);

/** The settings of this browser for displays. */
export const displayFits = kept("displayFits", true, isBoolean);
export const displayResizes = kept("displayResizes", true, isBoolean);
/** Quality of JPEG pictures, on noVNC's scale of 0 to 9. */
export const QUALITIES = [
  [2, "Low quality: for slow networks"],
  [6, "Medium quality"],
  [9, "High quality"],
] as const;
export const displayQuality = kept<number>("displayQuality", 6, (value) => QUALITIES.find(([quality]) => quality === value)?.[0] ?? null);
export const displayOptions = computed(() => ({ fit: displayFits.value, resize: displayResizes.value, quality: displayQuality.value }));
