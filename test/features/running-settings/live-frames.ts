import type { Live } from "../../e2e/support/live-frames.ts";

/** The settings that the process runs with. */
export async function runningSettingsLive({ ask, process }: Live): Promise<void> {
  await ask({ type: "request_running_settings", name: process });
}
