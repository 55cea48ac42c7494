import { WebglAddon } from "@xterm/addon-webgl";
import type { IMarker, ITheme, Terminal } from "@xterm/xterm";
import { shade } from "../state/settings.ts";
import type { DrawnRule } from "./draw-queue.ts";

/** How every terminal of the page looks. */
export const TERMINAL_LOOK = {
  fontFamily: 'ui-monospace, "Cascadia Mono", "SF Mono", Menlo, "DejaVu Sans Mono", monospace',
  minimumContrastRatio: 4.5,
} as const;

export function useWebGl(terminal: Terminal): void {
  try {
    const webgl = new WebglAddon();
    // A lost context (the machine slept, too many terminals) falls back to the DOM renderer.
    webgl.onContextLoss(() => webgl.dispose());
    terminal.loadAddon(webgl);
  } catch (error) {
    console.info("no WebGL here, the terminal draws with the DOM", error);
  }
}

/** Draws a line from the text of a rule to the right edge. The text itself is part of the output, so it can be found, copied and read out. */
export function drawRule(terminal: Terminal, { marker, width, tone }: DrawnRule<IMarker>): void {
  const decoration = terminal.registerDecoration({ marker, x: width + 1, layer: "bottom" });
  decoration?.onRender((element) => {
    element.classList.add("run-rule", `run-rule-${tone}`);
    // xterm.js sets the width of some cells.
    element.style.width = "auto";
  });
}

/** Time for which a line that was requested is marked, ms. */
const MARKED_MS = 5_000;

/** Scrolls to a line, a third of the screen below the top, and marks it for a moment. */
export function showLine(terminal: Terminal, marker: IMarker): void {
  if (marker.isDisposed) return;
  terminal.scrollToLine(Math.max(0, marker.line - Math.floor(terminal.rows / 3)));
  const { active } = terminal.buffer;
  let height = 1;
  while (active.getLine(marker.line + height)?.isWrapped) height++;
  const decoration = terminal.registerDecoration({ marker, height, width: terminal.cols, layer: "bottom" });
  decoration?.onRender((element) => element.classList.add("shown-line"));
  setTimeout(() => marker.dispose(), MARKED_MS);
}

export function searchColors() {
  return shade.value === "dark"
    ? {
        matchBackground: "#5f5223",
        activeMatchBackground: "#a5611c",
        matchOverviewRuler: "#a08a3a",
        activeMatchColorOverviewRuler: "#f0a050",
      }
    : {
        matchBackground: "#fbe7a1",
        activeMatchBackground: "#ffbe6b",
        matchOverviewRuler: "#d9b64a",
        activeMatchColorOverviewRuler: "#d97a1c",
      };
}

/** The theme with the page's colours. */
export function themeOf(element: HTMLElement): ITheme {
  const style = getComputedStyle(element);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return {
    background: value("--terminal"),
    foreground: value("--text"),
    cursor: value("--accent"),
    selectionBackground: value("--selection"),
    scrollbarSliderBackground: value("--scrollbar"),
    scrollbarSliderHoverBackground: value("--field"),
    scrollbarSliderActiveBackground: value("--field"),
    overviewRulerBorder: value("--terminal"),
  };
}
