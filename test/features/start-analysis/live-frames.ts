import type { Live } from "../../e2e/support/live-frames.ts";

/** The last start of the process. */
export async function startAnalysisLive({ ask, process }: Live): Promise<void> {
  await ask({ type: "request_start_analysis", name: process });
}
