import type { Live } from "../../e2e/support/live-frames.ts";

/** The ports of the process. */
export async function portsLive({ ask, process }: Live): Promise<void> {
  await ask({ type: "request_ports", name: process });
}
