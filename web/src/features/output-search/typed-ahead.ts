/** The text that was typed while the view with the field was loading. */
export interface TypedAhead {
  readonly text: string;
  /** Enter was pressed. */
  readonly isComplete: boolean;
}

interface Holder {
  readonly field: HTMLInputElement;
  /** The element that had the focus before. */
  readonly before: Element | null;
  isComplete: boolean;
}

let holder: Holder | null = null;

/**
 * Takes what is typed until the view has its field, in one that is not to be seen. Keys would otherwise be those of the page, or reach the
 * terminal that has the focus.
 */
export function holdTyped(label: string): void {
  drop();
  const field = document.createElement("input");
  field.setAttribute("aria-label", label);
  field.style.cssText = "position: fixed; opacity: 0; pointer-events: none";
  const own: Holder = { field, before: document.activeElement, isComplete: false };
  holder = own;
  field.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") own.isComplete ||= field.value !== "";
    else if (key === "Escape") drop();
  });
  field.addEventListener("blur", () => holder === own && drop());
  document.body.append(field);
  field.focus();
}

/** Ends that, and returns what was typed; null: nothing was held. */
export function takeTyped(): TypedAhead | null {
  const taken = holder;
  holder = null;
  taken?.field.remove();
  return taken && { text: taken.field.value, isComplete: taken.isComplete };
}

/** The view is not waited for any more. */
function drop(): void {
  const { before = null, field = null } = holder ?? {};
  const hadFocus = document.activeElement === field;
  takeTyped();
  if (hadFocus && before instanceof HTMLElement) before.focus();
}
