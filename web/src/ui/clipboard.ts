import { toast } from "./toasts.ts";

/** Into the clipboard, and says so. Without a secure origin browsers refuse the clipboard: then it says that. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied ${what}.`);
  } catch {
    toast("This browser allows copying over HTTPS or localhost only. Select the text and press Ctrl-C.", { bad: true });
  }
}
