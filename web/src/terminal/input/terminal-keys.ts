import type { Terminal } from "@xterm/xterm";
import { FONT_SIZE, fontSize } from "../../state/settings.ts";
import { copy } from "../../ui/browser/clipboard.ts";
import { confirm } from "../../ui/dialog.tsx";

/** Maximum number of lines that are pasted without confirmation. */
const LINES_WITHOUT_ASKING = 1;
const QUOTED_PASTE = 600;

interface Parts {
  name: string;
  terminal: Terminal;
  parent: HTMLElement;
  onSearchRequested: (() => void) | undefined;
  toRun: (direction: "previous" | "next") => void;
}

/** Handles keys and pasted text that are for the terminal itself, before anything is typed into the process. */
export function ownKeys({ name, terminal, parent, onSearchRequested, toRun }: Parts): { copySelection: () => void; close: () => void } {
  let isClosed = false;

  function copySelection(): void {
    const text = terminal.getSelection();
    if (text !== "") void copy(text, "the selection");
  }

  terminal.attachCustomKeyEventHandler((event) => {
    if (!event.ctrlKey || !event.shiftKey) return true;
    const act = {
      c: copySelection,
      f: () => onSearchRequested?.(),
      arrowup: () => toRun("previous"),
      arrowdown: () => toRun("next"),
      "+": () => grow(1),
      "*": () => grow(1),
      _: () => grow(-1),
      "-": () => grow(-1),
    }[event.key.toLowerCase()];
    if (!act) return true;
    event.preventDefault();
    if (event.type === "keydown") act();
    return false;
  });

  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    event.preventDefault();
    event.stopPropagation();
    void paste(text);
  };
  parent.addEventListener("paste", onPaste, { capture: true });

  async function paste(text: string): Promise<void> {
    const lines = text.replace(/\r?\n$/, "").split("\n").length;
    if (lines > LINES_WITHOUT_ASKING) {
      const detail = text.length > QUOTED_PASTE ? `${text.slice(0, QUOTED_PASTE)}\n…` : text;
      const yes = await confirm({ title: `Paste ${lines} lines?`, text: `They are typed into ${name} at once.`, detail, yes: "Paste" });
      if (isClosed) return;
      terminal.focus();
      if (!yes) return;
    }
    terminal.paste(text);
  }

  return {
    copySelection,
    close() {
      isClosed = true;
      parent.removeEventListener("paste", onPaste, { capture: true });
    },
  };
}

function grow(by: number): void {
  fontSize.value = Math.min(FONT_SIZE.most, Math.max(FONT_SIZE.least, fontSize.value + by));
}
