import { signal } from "@preact/signals";
import type { Shortcuts } from "../actions/page-feature.ts";
import { features } from "../features/index.ts";
import { Dialog } from "../ui/dialog.tsx";

export const sheetOpen = signal(false);

const SHORTCUTS: readonly Shortcuts[] = [
  [
    "Everywhere",
    [
      ["Ctrl-K", "command palette (in a terminal or display: Ctrl-Shift-K)"],
      ["Ctrl-Shift-L", "leave the terminal or display, focus the tree"],
      ["Esc  Tab", "leave the editor (Tab alone indents)"],
      ["Esc", "close dialog or search"],
    ],
  ],
  [
    "Outside terminals and text fields",
    [
      ["/", "filter the tree (is:error, host:rt1)"],
      ["j  k", "next and previous process"],
      ["Enter", "focus the terminal"],
      ["s  x  r", "start, stop, restart the open process or group"],
      ["d", "process details"],
      ["n", "next failed process"],
      ["o  a", "overview, all processes"],
      ["c  l", "configuration, log"],
      ...features.flatMap(({ keys = [] }) => keys.map(({ keys, title }) => [keys, title.toLowerCase()] as const)),
      ["\\  -", "split right, split down"],
      ["w", "close the tab"],
      ["p", "open in new window"],
      ["[  ]  1 … 9", "switch tabs in this pane"],
      ["`", "next pane"],
      [",  ?", "settings, keyboard shortcuts"],
    ],
  ],
  [
    "In a terminal",
    [
      ["Ctrl-Shift-F", "search"],
      ["Ctrl-Shift-↑ Ctrl-Shift-↓", "previous run, next run"],
      ["Ctrl-Shift-C", "copy the selection"],
      ["Ctrl-Shift-V", "paste"],
      ["Ctrl-Shift-+  -", "larger and smaller text"],
      ["Shift-PgUp", "scroll back"],
    ],
  ],
  [
    "In the tree",
    [
      ["↑ ↓ ← →", "move, collapse, expand"],
      ["click", "show, the keyboard stays in the tree"],
      ["Enter", "show and type (double-click, too)"],
      ["s  x  r", "start, stop, restart this row"],
      ["Shift-F10", "all actions of this row (right click, too)"],
      ["Ctrl-click", "open in a permanent tab"],
    ],
  ],
  ...features.flatMap(({ shortcuts }) => (shortcuts ? [shortcuts] : [])),
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
