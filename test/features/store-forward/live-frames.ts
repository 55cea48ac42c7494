import type { Live } from "../../e2e/support/live-frames.ts";

export async function storeForwardLive({ ask, topic }: Live): Promise<void> {
  await ask({ type: "request_kept_samples", name: topic });
}
