import { batch, signal } from "@preact/signals";
import { alertReasons } from "../../../../src/features/alerts/alert-text.ts";
import type { Alert } from "../../../../src/features/alerts/wire.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { refusalOf } from "../../state/access.ts";
import type { AttentionReason } from "../../state/attention.ts";
import { drawnWithNextFrame } from "../../state/painting.ts";
import { command, frames$ } from "../../state/store.ts";
import { clockTime } from "../../ui/time.ts";

const alerts = signal<ReadonlyMap<string, Alert>>(new Map());

frames$.subscribe((frame) => drawnWithNextFrame(() => batch(() => receive(frame))));

function receive(frame: ManagerFrame): void {
  switch (frame.type) {
    case "snapshot":
      alerts.value = new Map(frame.alerts.map((alert) => [alert.name, alert]));
      return;
    case "alert_upsert":
      alerts.value = new Map(alerts.peek()).set(frame.alert.name, frame.alert);
      return;
    case "alert_remove":
      alerts.value = new Map([...alerts.peek()].filter(([name]) => name !== frame.name));
      return;
  }
}

/** Why a process needs attention by its alert: one reason, since both are dismissed together. */
export function reasonsOf(name: string): readonly AttentionReason[] {
  const alert = alerts.value.get(name);
  if (alert === undefined) return [];
  const text = alertReasons(alert, { time: clockTime, text: (line) => line }).join("; ");
  const clear = { type: "clear_alert", name } as const;
  const forbidden = refusalOf(clear, "Dismissing");
  return [{ text: text.charAt(0).toUpperCase() + text.slice(1), dismiss: () => void command(clear), forbidden }];
}
