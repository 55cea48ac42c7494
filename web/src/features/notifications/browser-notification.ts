import { signal } from "@preact/signals";
import type { Notification as Told } from "../../../../src/features/notifications/notification.ts";
import { linesOf } from "../../../../src/features/notifications/notification-text.ts";
import { show } from "../../state/navigation.ts";
import { toast } from "../../ui/toasts.ts";

type Permission = NotificationPermission | "missing";

/** Whether this browser shows notifications of this page. Browsers have them on secure pages only (https, or localhost). */
export const permission = signal<Permission>("Notification" in globalThis && isSecureContext ? Notification.permission : "missing");

/** Asks the user; browsers show the question only after a click. */
export async function allow(): Promise<void> {
  permission.value = await Notification.requestPermission();
}

/** Shows a notification: of the browser if it is allowed, else in the page. */
export function present(notification: Told): void {
  const { key, title } = notification;
  const open = () => show({ kind: "notifications" });
  const body = linesOf(notification).join("\n");
  if (permission.value === "granted" && showInBrowser(title, { body, tag: key }, open)) return;
  toast(`${title}. ${linesOf(notification)[0] ?? ""}`, { action: { label: "Show", run: open } });
}

/** Whether it could be shown: browsers of phones have the constructor, and refuse it. */
function showInBrowser(title: string, options: NotificationOptions, open: () => void): boolean {
  try {
    const shown = new Notification(title, options);
    shown.onclick = () => {
      window.focus();
      open();
      shown.close();
    };
    return true;
  } catch {
    return false;
  }
}
