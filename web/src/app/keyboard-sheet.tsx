import { signal } from "@preact/signals";
import { Dialog } from "../ui/dialog.tsx";

export const sheetOpen = signal(false);

const SHORTCUTS: readonly [string, readonly [string, string][]][] = [
  [
    "Everywhere",
    [
      ["Ctrl-K", "command palette (in a terminal: Ctrl-Shift-K)"],
      ["Ctrl-Shift-L", "leave the terminal, to the tree"],
      ["Esc  Tab", "leave the editor (Tab alone indents)"],
      ["Esc", "close a dialog or a search"],
    ],
  ],
  [
    "Outside terminals and fields",
    [
      ["/", "filter the tree (is:error, host:rt1)"],
      ["j  k", "next and previous process"],
      ["Enter", "into the terminal"],
      ["s  x  r", "start, stop, restart what is shown"],
      ["d", "details of the process"],
      ["n", "next process that has failed"],
      ["o  a", "overview, all processes"],
      ["c  t  l", "configuration, process list, log"],
      ["\\  -", "split right, split down"],
      ["w", "close the tab"],
      ["p", "a window of its own"],
      ["[  ]  1 … 9", "tabs of this pane"],
      ["`", "next pane"],
      [",  ?", "settings, this sheet"],
    ],
  ],
  [
    "In a terminal",
    [
      ["Ctrl-Shift-F", "search"],
      ["Ctrl-Shift-C", "copy the selection"],
      ["Ctrl-Shift-V", "paste"],
      ["Ctrl-Shift-+  -", "larger and smaller text"],
      ["Shift-PgUp", "scroll back"],
    ],
  ],
  [
    "In the tree",
    [
      ["↑ ↓ ← →", "move and fold"],
      ["Enter", "open"],
      ["s  x  r", "start, stop, restart this row"],
      ["Ctrl-click", "open in a tab that stays"],
    ],
  ],
  [
    "In the process list",
    [
      ["↑ ↓ PgUp PgDn", "move"],
      ["Enter", "everything about a task, and its scheduling"],
      ["Esc", "back to the list"],
    ],
  ],
];

export function KeyboardSheet() {
  if (!sheetOpen.value) return null;
  return (
    <Dialog
      label="Keyboard shortcuts"
      class="sheet"
      title
      onClose={() => {
        sheetOpen.value = false;
      }}
    >
      <div class="sheet-columns">
        {SHORTCUTS.map(([place, keys]) => (
          <section key={place}>
            <h3>{place}</h3>
            <dl>
              {keys.map(([key, meaning]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
