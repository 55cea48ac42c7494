import { computed, signal } from "@preact/signals";
import { useEffect, useLayoutEffect } from "preact/hooks";
import type { Action } from "../../actions/action.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { generalActions, memberActions } from "./palette-actions.ts";
import { preselected, ranked } from "./rank.ts";

export const paletteOpen = signal(false);
const query = signal("");
/** Title of the action that Enter runs, since the list may change at any time; null: none, or the preselected one. */
const picked = signal<string | null>(null);
const MAX_SHOWN = 40;

/** Actions of the shown view come first, without duplicates. */
const general = computed(() => (paletteOpen.value ? withoutDuplicates(generalActions()) : []));
/** With those of all processes and groups: made when the palette has opened, and again when one changes, but not for each key. */
const everywhere = computed(() => {
  if (!paletteOpen.value) return [];
  const titles = new Set(general.value.map(({ title }) => title));
  return [...general.value, ...memberActions().filter(({ title }) => !titles.has(title))];
});
const found = computed(() => ranked(query.value.trim() === "" ? general.value : everywhere.value, query.value, MAX_SHOWN));

function withoutDuplicates(actions: readonly Action[]): Action[] {
  const titles = new Set<string>();
  return actions.filter(({ title }) => titles.size < titles.add(title).size);
}

/** Prepares the first key, which would take too long with 10,000 processes: the actions, then the code and the texts that each key uses. */
function prepare(): () => void {
  let timer = setTimeout(() => {
    const actions = everywhere.peek();
    timer = setTimeout(() => ranked(actions, "a", MAX_SHOWN));
  });
  return () => clearTimeout(timer);
}

export function openPalette(text = ""): void {
  query.value = text;
  picked.value = null;
  paletteOpen.value = true;
}

/** The command palette (Ctrl-K): every action of the page by name. */
export function Palette() {
  const actions = found.value;
  const first = preselected(actions)?.title ?? null;
  // The selected action stays selected: when "Stop" becomes "Start", Enter does not run an action that the user has not selected.
  useLayoutEffect(() => {
    picked.value ??= first;
  });
  const isOpen = paletteOpen.value;
  useEffect(() => (isOpen ? prepare() : undefined), [isOpen]);
  if (!isOpen) return null;
  const at = actions.findIndex(({ title }) => title === (picked.value ?? first));
  const run = (index: number) => {
    // The palette closes first, so that the focus is restored and no other dialog is open when the action runs.
    document.querySelector<HTMLDialogElement>("dialog.palette")?.close();
    paletteOpen.value = false;
    actions[index]?.run();
  };
  const pick = (index: number) => {
    const to = (index + actions.length) % Math.max(1, actions.length);
    picked.value = actions[to]?.title ?? null;
    requestAnimationFrame(() => document.getElementById(`palette-${to}`)?.scrollIntoView({ block: "nearest" }));
  };
  return (
    <Dialog
      label="Command palette"
      class="palette"
      onClose={() => {
        paletteOpen.value = false;
      }}
    >
      <input
        data-first
        type="text"
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={at >= 0 ? `palette-${at}` : undefined}
        placeholder="Search or run a command…"
        autocomplete="off"
        spellcheck={false}
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
          picked.value = null;
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown" || (event.ctrlKey && event.key === "n")) pick(at + 1);
          else if (event.key === "ArrowUp" || (event.ctrlKey && event.key === "p")) pick(Math.max(0, at) - 1);
          else if (event.key !== "Enter") return;
          else if (at >= 0) run(at);
          event.preventDefault();
        }}
      />
      <div id="palette-list" role="listbox" aria-label="Actions">
        {actions.map((action, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input (combobox pattern)
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input (combobox pattern)
          <div
            key={action.title}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            class="palette-row"
            onPointerMove={() => {
              picked.value = action.title;
            }}
            onClick={() => run(index)}
          >
            <span class={action.isDanger ? "bad" : ""}>{action.title}</span>
            {action.asks?.() && <small class="soft">asks first</small>}
            {action.keys && <kbd>{action.keys}</kbd>}
          </div>
        ))}
      </div>
      {actions.length > 0 && first === null && picked.value === null && <p class="empty">Press ↓ to select.</p>}
      {actions.length === 0 && <p class="empty">No matches.</p>}
    </Dialog>
  );
}
