import { batch, signal } from "@preact/signals";
import type { Incident } from "../../../../src/features/flight/wire.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { refusalOf } from "../../state/access.ts";
import { drawnWithNextFrame } from "../../state/painting.ts";
import { client, frames$ } from "../../state/store.ts";
import { complain } from "../../ui/toasts.ts";

/** All incidents, the newest change last; null: not known yet. */
export const incidents = signal<readonly Incident[] | null>(null);
/** Whether the flight recorder is configured. */
export const isEnabled = signal(true);

// Follows the manager from when the code of the views is loaded, which may be before one of them is opened.
function request(): void {
  if (refusalOf({ type: "request_incidents" }) === null) client.request({ type: "request_incidents" }).catch(complain);
}
request();
frames$.subscribe((frame) => {
  if (frame.type === "snapshot") request();
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
