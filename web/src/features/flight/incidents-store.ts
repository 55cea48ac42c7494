import { batch, signal } from "@preact/signals";
import type { Incident } from "../../../../src/features/flight/wire.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { drawnWithNextFrame } from "../../state/painting.ts";
import { client, frames$ } from "../../state/store.ts";
import { complain } from "../../ui/toasts.ts";

/** All incidents, the newest change last; null: not known yet. */
export const incidents = signal<readonly Incident[] | null>(null);
/** Whether the flight recorder is configured. */
export const isEnabled = signal(true);

// Follows the manager from the first time that one of the views is opened.
const request = () => client.request({ type: "request_incidents" }).catch(complain);
void request();
frames$.subscribe((frame) => {
  if (frame.type === "snapshot") void request();
  drawnWithNextFrame(() => batch(() => receive(frame)));
});

function receive(frame: ManagerFrame): void {
  switch (frame.type) {
    case "incidents_snapshot":
      incidents.value = frame.incidents;
      isEnabled.value = frame.is_enabled;
      return;
    case "incident_upsert":
      incidents.value = [...(incidents.peek() ?? []).filter(({ id }) => id !== frame.incident.id), frame.incident];
      return;
    case "incident_remove":
      incidents.value = (incidents.peek() ?? []).filter(({ id }) => id !== frame.id);
      return;
  }
}
