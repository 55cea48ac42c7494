import { signal } from "@preact/signals";

/** Whether commands can be sent: false while the manager cannot be reached. */
export const isConnected = signal(true);
