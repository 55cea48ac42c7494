import type { Live } from "../../e2e/support/live-frames.ts";
import { eventually } from "../../e2e/support/wait.ts";

/** Needs a process with a limit that it has reached (test/e2e/streams). */
export async function limitsLive({ ask, client, process }: Live): Promise<void> {
  // Not by its frame, which may have come before this client, or be about an earlier run.
  await eventually("a reached limit", async () => {
    const { limits } = (await client.snapshot()) as unknown as { limits: { name: string; reached: object[] }[] };
    return limits.some(({ name, reached }) => name === process && reached.length > 0);
  });
  const from = client.here;
  await ask({ type: "clear_limits", name: process });
  await client.until("the end of the reached limit", ({ type, name }) => type === "limits_remove" && name === process, from);
}
