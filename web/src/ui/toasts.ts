import { signal } from "@preact/signals";
import { messageOf } from "../../../src/base/errors.ts";

export interface Toast {
  id: number;
  /** A function follows what it reads. */
  text: string | (() => string);
  bad: boolean;
  action?: ToastAction;
  /** Called when the toast goes, however it does. */
  onEnd?: () => void;
}
interface ToastAction {
  label: string;
  run: () => void;
}

export const toasts = signal<Toast[]>([]);

let nextToast = 1;
const MAX_TOASTS = 5;
const TOAST_MS = 4_000;
/** Errors take longer to read, and an action longer to decide on. */
const LONG_TOAST_MS = 12_000;
const ACTION_TOAST_MS = 20_000;
/** How often it is checked whether a toast is still under the pointer when its time is over, ms. */
const HELD_CHECK_MS = 1_000;

let areHeld = false;

/** Returns its id, to dismiss it by. */
export function toast(text: Toast["text"], more: Partial<Pick<Toast, "bad" | "action" | "onEnd">> = {}): number {
  // The same problem again, as with each key typed: once is enough.
  for (const same of toasts.value) if (same.bad && same.text === text) dismiss(same.id);
  const id = nextToast++;
  for (const { id: old } of toasts.value.slice(0, 1 - MAX_TOASTS)) dismiss(old);
  toasts.value = [...toasts.value, { id, text, bad: false, ...more }];
  setTimeout(() => expire(id), more.action ? ACTION_TOAST_MS : more.bad ? LONG_TOAST_MS : TOAST_MS);
  return id;
}

/** While the pointer is on a button of a toast, no toast goes by itself. The rest of a toast lets the pointer through. */
export function holdToasts(hold: boolean): void {
  areHeld = hold;
}

function expire(id: number): void {
  if (areHeld) setTimeout(() => expire(id), HELD_CHECK_MS);
  else dismiss(id);
}

export function dismiss(id: number): void {
  const gone = toasts.value.find((one) => one.id === id);
  if (!gone) return;
  toasts.value = toasts.value.filter((one) => one !== gone);
  // An element that is removed tells nothing of a pointer that leaves it.
  if (toasts.value.length === 0) areHeld = false;
  gone.onEnd?.();
}

export function complain(error: unknown): void {
  toast(messageOf(error), { bad: true });
}
