import type { Live } from "../../e2e/support/live-frames.ts";

/** Needs a process that echoes what is typed, with an alert for "alarm" and for silence (test/e2e/streams). */
export async function alertsLive({ ask, client, process }: Live): Promise<void> {
  const from = client.here;
  const isAlert = (reason: string) => (frame: { type: string; alert?: unknown }) =>
    frame.type === "alert_upsert" && (frame.alert as Record<string, unknown>)[reason] !== null;
  await ask({ type: "send_stdin", name: process, text: "alarm\n" });
  await client.until("an alert of output", isAlert("output"), from);
  await client.until("an alert of silence", isAlert("silent"), from);
  await ask({ type: "clear_alert", name: process });
  await client.until("the end of the alert", ({ type }) => type === "alert_remove", from);
}
