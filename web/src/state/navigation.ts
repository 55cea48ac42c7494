import { computed, effect, signal } from "@preact/signals";
import { isNarrow } from "../ui/browser/screen.ts";
import * as layouts from "./layout.ts";
import { storedLayout } from "./settings.ts";
import { addressOfView, isPoppedOut, keyOf, type View, viewOfAddress, withoutParameters } from "./views.ts";

/** Whether the page is a pop-out window, with one view. */
export let poppedOut = false;

/** The arrangement of views in tabs and panes. The address names the focused view, so that it is a link to it. */
export const layout = signal(layouts.newLayout());

/** The focused view. */
export const current = computed<View>(() => layouts.activeView(layouts.focusedPane(layout.value)));
/** Whether the drawer with the tree is open, on narrow screens. */
export const drawerOpen = signal(false);

/** Shows the view that the address names, with those that were open before. From then on address and view follow each other. Needs all view types. */
export function openAddress(): void {
  poppedOut = isPoppedOut(location);
  const first = viewOfAddress(location);
  const before = layouts.readLayout(storedLayout.value) ?? layouts.newLayout();
  layout.value = first === null ? before : layouts.open(before, first);
  let shownKey = keyOf(current.value);
  effect(() => {
    const view = current.value;
    if (poppedOut) return;
    storedLayout.value = layout.value;
    const isSame = keyOf(view) === shownKey;
    const url = addressOfView(view, isSame ? location.search : withoutParameters(location.search));
    if (isSame) history.replaceState(null, "", url);
    else history.pushState(null, "", url);
    shownKey = keyOf(view);
  });
  addEventListener("popstate", () => {
    const view = viewOfAddress(location) ?? { kind: "overview" };
    shownKey = keyOf(view);
    show(view);
  });
}

/** How the shown view was opened: by the address of the page, a key that steps through views, or any other command of the user. */
let openedBy: "address" | "step" | "command" = "address";
/** Whether the view takes the focus. A page that loads does not: the user may still be typing something meant for another window. */
export const takesFocus = (): boolean => openedBy === "command" && !isNarrow.value;
/** Whether characters do nothing until the view's terminal is loaded. */
export const holdsKeys = (): boolean => openedBy !== "step" && !isNarrow.value;

/** Shows a view where it is already open, or in the focused pane. */
export function show(view: View, kept = false, focus = true): void {
  openedBy = focus ? "command" : "step";
  layout.value = layouts.open(layout.value, view, kept);
  drawerOpen.value = false;
}

/** Changes the arrangement of tabs and panes. Without `focus` the keyboard focus stays, so that the next key is for the page, too. */
export function arrange(next: layouts.Layout, focus = false): void {
  openedBy = focus ? "command" : "step";
  layout.value = next;
}

/** Whether the pane with the focus has the details of its process open. */
export const detailsOpen = computed(() => layouts.focusedPane(layout.value).details === true);
export function toggleDetails(pane: number = layouts.focusedPane(layout.peek()).id): void {
  layout.value = layouts.toggleDetails(layout.peek(), pane);
}

export const showProcess = (name: string, kept = false) => show({ kind: "process", name }, kept);

export function showBeside(view: View, direction: layouts.Direction = "row"): void {
  openedBy = "command";
  layout.value = layouts.split(layout.value, layouts.focusedPane(layout.value).id, direction, view);
}

/** Whether a view can be popped out into its own window. */
export const canPopOut = (view: View): boolean => view.kind !== "overview" && view.kind !== "config";

/** Opens a window with one view, over a focused connection. */
export function popOut(view: View): void {
  window.open(addressOfView(view, "?window=1"), `mgr ${keyOf(view)}`, "popup,width=960,height=640");
}

/** A link that opens a view here on a plain click, and in a browser tab on others. `label`: its accessible name, if it is drawn in parts. */
export function linkTo(view: View, label?: string): { href: string; "aria-label"?: string; onClick: (event: MouseEvent) => void } {
  return {
    href: addressOfView(view, ""),
    ...(label === undefined ? {} : { "aria-label": label }),
    onClick: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      show(view);
    },
  };
}
