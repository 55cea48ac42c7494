import type { Live } from "../../e2e/support/live-frames.ts";

/** Needs `flight` in the configuration. */
export async function flightLive({ ask, client }: Live): Promise<void> {
  await ask({ type: "request_incidents", limit: 5 });
  await ask({ type: "request_flight_hosts" });
  await ask({ type: "request_host_clocks" });
  const from = client.here;
  const { id } = await ask({ type: "keep_incident", note: "live", before: 1_000, after: 0 });
  await client.until(
    "the end of the incident",
    ({ type, incident }) => type === "incident_upsert" && (incident as { id: unknown; state: string }).state === "complete",
    from,
  );
  await ask({ type: "pin_incident", id, is_pinned: true });
  await ask({ type: "delete_incident", id });
}
