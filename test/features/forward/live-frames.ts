import type { Live } from "../../e2e/support/live-frames.ts";

/** The forwards that are open, of which there are none. */
export async function forwardLive({ ask }: Live): Promise<void> {
  await ask({ type: "request_forwards" });
  await ask({ type: "close_forward", id: "none" });
}
