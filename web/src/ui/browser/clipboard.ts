import { toast } from "../toasts.ts";

/** Copies a text to the clipboard, and reports success or failure: browsers refuse the clipboard without a secure origin. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied ${what}.`);
  } catch {
    toast("This browser allows copying over HTTPS or localhost only. Select the text and press Ctrl-C.", { bad: true });
  }
}
