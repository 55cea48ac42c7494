import type { Live } from "../../e2e/support/live-frames.ts";

/** Needs `flight` in the configuration, and output of the process in the last minute. */
export async function flightLive({ ask, client, process }: Live): Promise<void> {
  await ask({ type: "request_incidents", limit: 5 });
  await ask({ type: "request_flight_hosts" });
  await ask({ type: "request_host_clocks" });
  const from = client.here;
  const { id } = await ask({ type: "keep_incident", note: "live", before: 60_000, after: 0 });
  await client.until(
    "the end of the incident",
    ({ type, incident }) => type === "incident_upsert" && (incident as { id: unknown; state: string }).state === "complete",
    from,
  );
  await ask({ type: "request_incident_output", id, name: process, until: "2100-01-01T00:00:00.000" });
  await ask({ type: "pin_incident", id, is_pinned: true });
  await ask({ type: "delete_incident", id });
}
