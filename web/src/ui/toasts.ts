import { signal } from "@preact/signals";
import { messageOf } from "../../../src/base/errors.ts";

export interface Toast {
  id: number;
  text: string;
  bad: boolean;
}

export const toasts = signal<Toast[]>([]);

let nextToast = 1;
const TOAST_MS = 4_000;
/** Errors take longer to read. */
const BAD_TOAST_MS = 12_000;

export function toast(text: string, bad = false): void {
  const id = nextToast++;
  toasts.value = [...toasts.value.slice(-4), { id, text, bad }];
  setTimeout(() => dismiss(id), bad ? BAD_TOAST_MS : TOAST_MS);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

export function complain(error: unknown): void {
  toast(messageOf(error), true);
}

/** Into the clipboard, and says so. Without a secure origin browsers refuse the clipboard: then it says that. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied ${what}.`);
  } catch {
    toast("This browser allows copying over HTTPS or localhost only. Select the text and press Ctrl-C.", true);
  }
}
