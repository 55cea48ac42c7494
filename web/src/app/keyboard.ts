import type { Action } from "../actions/action.ts";
import { isVerbKey, VERB_KEYS } from "../actions/actions.ts";
import { requestForView } from "../actions/commands.ts";
import { actionRefusal, opening } from "../actions/opening.ts";
import { features } from "../features/index.ts";
import * as layouts from "../state/layout.ts";
import { arrange, canPopOut, current, layout, popOut, poppedOut, show, toggleDetails } from "../state/navigation.ts";
import { logOpen } from "../state/settings.ts";
import { isLoaded } from "../state/store.ts";
import { focusTerminal, isTerminalComing } from "../terminal/terminal-actions.ts";
import { focusFilter } from "../tree/tree-filter.ts";
import { focusTree, nextTrouble, stepProcess } from "../tree/tree-navigation.ts";
import { complain } from "../ui/toasts.ts";
import { sheetOpen } from "./keyboard-sheet.tsx";
import { openPalette, paletteOpen } from "./palette/palette.tsx";
import { closeFocused, splitFocused } from "./palette/palette-actions.ts";
import { settingsOpen } from "./settings-dialog.tsx";

/**
 * Handles keys of the whole page. Keys without Ctrl do nothing while the user types into a field. While the page, or the terminal of an opened
 * process, is loading, characters do nothing at all: they are meant for what is being loaded.
 */
export function onPageKey(event: KeyboardEvent): void {
  const target = event.target instanceof Element ? event.target : document.body;
  const key = event.key.toLowerCase();
  // A terminal and a display receive every key that the page does not need itself.
  const inTerminal = target.closest(".takes-keys") !== null;
  const isCtrl = event.ctrlKey || event.metaKey;
  if (isCtrl && key === "k" && (!inTerminal || event.shiftKey)) {
    if (!paletteOpen.value && !poppedOut) openPalette();
  } else if (isCtrl && event.shiftKey && key === "l") moveFocusToTree();
  else if (document.querySelector("dialog[open]")) return;
  else if (isCtrl || event.altKey) {
    const hasMeaning = isCtrl && event.shiftKey && !inTerminal && !poppedOut && ofFeature(`Ctrl-Shift-${key.toUpperCase()}`);
    if (!hasMeaning) return;
  } else if (target.closest(".takes-keys, input, select, textarea, [contenteditable=true], [role=separator], [role=menu]")) return;
  else if (!isLoaded.value || isTerminalComing()) {
    // The slash focuses the filter, where further characters do no harm.
    if (event.key === "/" && isLoaded.value) focusFilter();
    else if (event.key.length > 1) return;
  }
  // A row of the tree handles these keys itself.
  else if (isVerbKey(event.key) && target.closest("[role=treeitem]")) return;
  else if (!plain(event)) return;
  event.preventDefault();
  event.stopPropagation();
}

/** Handles a key without Ctrl; returns whether it has a meaning. */
function plain({ key }: KeyboardEvent): boolean {
  const view = current.value;
  if (isVerbKey(key)) return requestForView(VERB_KEYS[key], view);
  if (/^[1-9]$/.test(key)) {
    const pane = layouts.focusedPane(layout.value);
    if (pane.tabs[Number(key) - 1]) arrange(layouts.activate(layout.value, pane.id, Number(key) - 1));
    return true;
  }
  if (key === ",") {
    settingsOpen.value = true;
    return true;
  }
  if (key === "Enter") return enterTerminal();
  if (poppedOut) return false;
  switch (key) {
    case "?":
      sheetOpen.value = true;
      return true;
    case "/":
      focusFilter();
      return true;
    case "j":
      stepProcess(1);
      return true;
    case "k":
      stepProcess(-1);
      return true;
    case "n":
      nextTrouble();
      return true;
    case "a":
      show({ kind: "all" });
      return true;
    case "[":
    case "]":
      arrange(layouts.stepTab(layout.value, key === "]" ? 1 : -1));
      return true;
    case "`":
      arrange(layouts.stepPane(layout.value));
      return true;
    case "o":
      show({ kind: "overview" });
      return true;
    case "c":
      return run(opening("Configuration", { kind: "config" }));
    case "l":
      logOpen.value = !logOpen.value;
      return true;
    case "d":
      toggleDetails();
      return true;
    case "\\":
      splitFocused("row");
      return true;
    case "-":
      splitFocused("column");
      return true;
    case "w":
      closeFocused();
      return true;
    case "p":
      if (canPopOut(view)) popOut(view);
      return true;
    default:
      return ofFeature(key);
  }
}

function ofFeature(key: string): boolean {
  const action = features.flatMap(({ keys = [] }) => keys).find(({ keys }) => keys === key);
  return action !== undefined && run(action);
}

/** Runs an action, or says why the user may not; the key had a meaning. */
function run(action: Action): boolean {
  const refusal = actionRefusal(action);
  if (refusal === null) action.run();
  else complain(new Error(refusal));
  return true;
}

/**
 * Moves the focus to the tree; in a pop-out window to the first button. Tab cannot do this, since a terminal sends it to the process.
 */
function moveFocusToTree(): void {
  if (poppedOut) document.querySelector<HTMLElement>(".bar :is(button, select, input):not(:disabled, [aria-disabled='true'])")?.focus();
  else focusTree();
}

/** Focuses the terminal on Enter, if no element has the focus. */
function enterTerminal(): boolean {
  if (document.activeElement !== document.body) return false;
  return focusTerminal(layout.value.focused);
}
