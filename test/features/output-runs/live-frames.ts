import type { Live } from "../../e2e/support/live-frames.ts";

export async function outputRunsLive({ ask }: Live): Promise<void> {
  await ask({ type: "request_output_ends", after: "1.0" });
}
