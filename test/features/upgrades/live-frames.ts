import { fileURLToPath } from "node:url";
import type { Live } from "../../e2e/support/live-frames.ts";

/** The daemon replaces its program by the same one; the manager is in the foreground, and says so. */
export async function upgradesLive({ ask }: Live): Promise<void> {
  const program = fileURLToPath(new URL("../../../dist/daemon.cjs", import.meta.url));
  await ask({ type: "upgrade_host", host: "localhost", program, node: process.execPath });
  await ask({ type: "request_versions" });
  await ask({ type: "upgrade_manager" });
}
