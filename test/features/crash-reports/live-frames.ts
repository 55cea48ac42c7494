import type { Live } from "../../e2e/support/live-frames.ts";

/** The process is killed, and runs again at the end. */
export async function crashReportsLive({ ask, client, process: name }: Live): Promise<void> {
  const from = client.here;
  await client.command({ type: "send_signal", name, signal: "SIGKILL" });
  const made = await client.until("its report", (frame) => frame.type === "crash_report_made", from);
  const { run_id } = made.report as { run_id: string };
  await ask({ type: "request_crash_reports", names: [name], pattern: "*", limit: 5 });
  await ask({ type: "request_crash_report", name, run_id });
  await ask({ type: "delete_crash_reports", name, run_ids: [run_id] });
  const start = client.here;
  await client.command({ type: "start_process", name });
  const isStarted = (process: unknown) => (process as { name: string; state: string }).state === "started";
  await client.until("it runs again", ({ type, process }) => type === "process_upsert" && isStarted(process), start);
}
