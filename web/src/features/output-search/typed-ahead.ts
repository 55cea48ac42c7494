/** Maximum time that keys are held for a view that does not come, ms. */
const MAX_HELD_MS = 10_000;

/** What was typed while the view with the field was loading. */
export interface TypedAhead {
  readonly text: string;
  /** Enter was pressed. */
  readonly isComplete: boolean;
}

let held: { text: string; isComplete: boolean; timer: ReturnType<typeof setTimeout> } | null = null;

/** Holds what is typed from now on, which would otherwise reach what has the focus: such as the terminal of a process. */
export function holdTyped(): void {
  release();
  held = { text: "", isComplete: false, timer: setTimeout(release, MAX_HELD_MS) };
  addEventListener("keydown", onKey, true);
  addEventListener("pointerdown", release, true);
}

/** Ends that, and returns what was typed; null: nothing was held. */
export function takeTyped(): TypedAhead | null {
  const typed = held;
  release();
  return typed;
}

function release(): void {
  if (held === null) return;
  clearTimeout(held.timer);
  held = null;
  removeEventListener("keydown", onKey, true);
  removeEventListener("pointerdown", release, true);
}

function onKey(event: KeyboardEvent): void {
  if (held === null || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
  const { key } = event;
  if (key === "Escape" || key === "Tab") {
    release();
    return;
  }
  if ([...key].length === 1) {
    if (!held.isComplete) held.text += key;
  } else if (key === "Backspace") held.text = [...held.text].slice(0, -1).join("");
  else if (key === "Enter") held.isComplete ||= held.text !== "";
  else return;
  event.preventDefault();
  event.stopPropagation();
}
