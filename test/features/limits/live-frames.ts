import type { Live } from "../../e2e/support/live-frames.ts";

/** Needs a process with a limit that it has reached (test/e2e/streams). */
export async function limitsLive({ ask, client, process }: Live): Promise<void> {
  const from = client.here;
  await client.until("a reached limit", ({ type }) => type === "limits_upsert");
  await ask({ type: "clear_limits", name: process });
  await client.until("the end of the reached limit", ({ type }) => type === "limits_remove", from);
}
