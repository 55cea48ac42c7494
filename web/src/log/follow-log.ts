import { effect } from "@preact/signals";
import { drawnWithNextFrame } from "../state/painting.ts";
import { client, connection, frames$ } from "../state/store.ts";
import { socketQuery } from "../state/views.ts";
import { loadNewest } from "./log-history.ts";
import { storeEntries } from "./log-store.ts";

/** Stores the log entries that the manager sends; after each (re)connection the newest entries are loaded. */
export function followLog(): void {
  // A window with one process or group receives no log entries.
  if (/single_/.test(socketQuery(location))) return;
  frames$.subscribe((frame) => {
    if (frame.type === "log_batch") drawnWithNextFrame(() => storeEntries(frame.entries));
  });
  effect(() => {
    if (connection.value.kind === "open") loadNewest(client);
  });
}
