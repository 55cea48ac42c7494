import type { Live } from "../../e2e/support/live-frames.ts";

/** The whole past and the newest figures of the process, which is measured each second meanwhile. */
export async function loadHistoryLive({ ask, client, process }: Live): Promise<void> {
  const past = { from: "2020-01-01T00:00:00.000", until: "2100-01-01T00:00:00.000" };
  const range = { ...past, points: 3 };
  const from = client.here;
  await ask({ type: "subscribe_load", name: process });
  await client.until("a sample", ({ type }) => type === "load_sample", from);
  await ask({ type: "request_newest_load", names: [process], pattern: "*" });
  await ask({ type: "request_load_history", names: [process], pattern: "*", ...range, series: ["cpu_percent"], statistics: ["mean"] });
  await ask({ type: "request_host_load_history", host: "localhost", ...range });
  await ask({ type: "request_history_events", name: process, ...past, kinds: ["state", "command"], limit: 5 });
  await ask({ type: "request_memory_detail", name: process });
  await ask({ type: "unsubscribe_load", name: process });
}
