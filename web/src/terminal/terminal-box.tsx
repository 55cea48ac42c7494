import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { holdsKeys, layout, takesFocus } from "../state/navigation.ts";
import { complain } from "../ui/toasts.ts";
import type { OpenTerminal, TerminalOptions } from "./terminal.ts";
import { terminalArrived, terminalComes } from "./terminal-actions.ts";

interface Props extends Omit<TerminalOptions, "parent" | "focus"> {
  onOpen?: (terminal: OpenTerminal | null) => void;
}

/** A terminal that opens in another pane does not take the keyboard focus. */
function isInFocusedPane(element: HTMLElement): boolean {
  const pane = element.closest<HTMLElement>("[data-pane]");
  return pane === null || pane.dataset.pane === String(layout.value.focused);
}

/** A process's terminal. Its code is loaded when first needed, since it is the largest part of the page. */
export function TerminalBox(props: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { name } = props;
  const latest = useRef(props);
  latest.current = props;
  // A layout effect: an effect after painting could run after the next key.
  useLayoutEffect(() => {
    if (latest.current.webgl && holdsKeys() && box.current && isInFocusedPane(box.current)) terminalComes(box.current, takesFocus());
  }, [name]);
  useEffect(() => {
    let terminal: OpenTerminal | null = null;
    let gone = false;
    const element = box.current;
    import("./terminal.ts")
      .then(({ openTerminal }) => {
        if (gone || !box.current) return;
        const { webgl } = latest.current;
        // Loading takes a while: if the user has moved the focus meanwhile, it stays there.
        const isWaitedFor = terminalArrived(box.current) && isInFocusedPane(box.current);
        terminal = openTerminal({
          name,
          parent: box.current,
          focus: isWaitedFor,
          webgl,
          onSize: (size) => latest.current.onSize?.(size),
          onSearchRequested: () => latest.current.onSearchRequested?.(),
          onFollow: (follows) => latest.current.onFollow?.(follows),
          onRuns: () => latest.current.onRuns?.(),
        });
        latest.current.onOpen?.(terminal);
      })
      .catch((error) => {
        terminalArrived(box.current);
        complain(error);
      });
    return () => {
      gone = true;
      terminalArrived(element);
      terminal?.close();
      latest.current.onOpen?.(null);
    };
  }, [name]);
  // biome-ignore lint/a11y/useSemanticElements: a fieldset groups the fields of a form, which this is not
  return <div class="terminal-box takes-keys" ref={box} role="group" aria-label={`Terminal of ${name}`} data-note="No output yet" />;
}
