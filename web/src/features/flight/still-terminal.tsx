import { Terminal } from "@xterm/xterm";
import { useEffect, useRef } from "preact/hooks";
import { fontSize } from "../../state/settings.ts";
import { TERMINAL_LOOK, themeOf } from "../../terminal/terminal-look.ts";
import type { Screen } from "./at-moment.ts";
import "@xterm/xterm/css/xterm.css";

/** A terminal as it was at a moment: nothing can be typed. */
export function StillTerminal({ label, screen }: { label: string; screen: Screen }) {
  const box = useRef<HTMLDivElement>(null);
  const shown = useRef<Terminal | null>(null);
  useEffect(() => {
    if (box.current === null) return;
    const terminal = new Terminal({
      disableStdin: true,
      ...TERMINAL_LOOK,
      fontSize: fontSize.peek(),
      scrollback: 1_000,
      theme: themeOf(box.current),
    });
    terminal.open(box.current);
    shown.current = terminal;
    return () => {
      shown.current = null;
      terminal.dispose();
    };
  }, []);
  useEffect(() => {
    const terminal = shown.current;
    if (terminal === null) return;
    terminal.reset();
    terminal.resize(screen.cols, screen.rows);
    terminal.write(screen.output);
  }, [screen]);
  // biome-ignore lint/a11y/useSemanticElements: a fieldset groups the fields of a form, which this is not
  return <div ref={box} class="still-terminal" role="group" aria-label={label} />;
}
