/** Colours for dark backgrounds, and the same hues for light ones. Traces beyond the first ten use those of the other background. */
const BRIGHT = ["#4c9be8", "#e8a33d", "#55b96a", "#e0625e", "#a583e0", "#3cb7b7", "#d977b0", "#9aa64a", "#8f9fb6", "#d99a6a"];
const DEEP = ["#1f6dc0", "#b26a00", "#2a8540", "#bd3531", "#7449c4", "#127f7f", "#ad3f86", "#6a7420", "#55657f", "#95551f"];

/** The colours of traces, as many as a plot can have at most. */
export function traceColors(shade: "dark" | "light"): readonly string[] {
  return shade === "dark" ? [...BRIGHT, ...DEEP] : [...DEEP, ...BRIGHT];
}
