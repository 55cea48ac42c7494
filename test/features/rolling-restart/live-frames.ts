import type { Live } from "../../e2e/support/live-frames.ts";

export async function rollingRestartLive({ ask, client, process }: Live): Promise<void> {
  const from = client.here;
  const { id } = await ask({ type: "rolling_restart", names: [process], timeout: 60 });
  await ask({ type: "cancel_rolling_restart", id });
  await client.until("the end of a rolling restart", ({ type, step }) => type === "restart_step_upsert" && isDone(step), from);
}

function isDone(step: unknown): boolean {
  return typeof step === "object" && step !== null && "state" in step && step.state === "done";
}
