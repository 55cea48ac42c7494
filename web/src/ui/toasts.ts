import { signal } from "@preact/signals";
import { messageOf } from "../../../src/base/errors.ts";

export interface Toast {
  id: number;
  /** A function makes the text follow the signals that it reads. */
  text: string | (() => string);
  bad: boolean;
  action?: ToastAction;
  /** Called when the toast closes, for whatever reason. */
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
/** Duration of errors, which take longer to read, and of actions, which take longer to decide on, ms. */
const LONG_TOAST_MS = 12_000;
const ACTION_TOAST_MS = 20_000;
/** Interval of checks whether a toast whose time is over is still under the pointer, ms. */
const HELD_CHECK_MS = 1_000;

let areHeld = false;

/** Shows a toast. Returns its id, to dismiss it. */
export function toast(text: Toast["text"], more: Partial<Pick<Toast, "bad" | "action" | "onEnd">> = {}): number {
  // Replaces the same error: it may occur with each typed key.
  for (const same of toasts.value) if (same.bad && same.text === text) dismiss(same.id);
  const id = nextToast++;
  for (const { id: old } of toasts.value.slice(0, 1 - MAX_TOASTS)) dismiss(old);
  toasts.value = [...toasts.value, { id, text, bad: false, ...more }];
  setTimeout(() => expire(id), more.action ? ACTION_TOAST_MS : more.bad ? LONG_TOAST_MS : TOAST_MS);
  return id;
}

/** While the pointer is on a button of a toast, no toast closes by itself. The rest of a toast lets the pointer through. */
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
  // An element that is removed reports no pointer leave.
  if (toasts.value.length === 0) areHeld = false;
  gone.onEnd?.();
}

export function complain(error: unknown): void {
  toast(messageOf(error), { bad: true });
}
