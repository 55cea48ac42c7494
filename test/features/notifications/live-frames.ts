import type { Frame } from "../../e2e/support/client.ts";
import type { Live } from "../../e2e/support/live-frames.ts";
import { eventually } from "../../e2e/support/wait.ts";

/** Needs a rule for everything on the way `page`, and a process with an alert of silence (test/e2e/streams). */
export async function notificationsLive({ ask, client }: Live): Promise<void> {
  const from = client.here;
  const made = await ask({ type: "create_silence", pattern: "no-such-process", seconds: 600, reason: "for the test" });
  await eventually("a condition matches and was notified", async () => {
    const { rules, deliveries } = await ask({ type: "request_notifications" });
    return (rules as { matches: Frame[] }[]).some(({ matches }) => matches.length > 0) && (deliveries as Frame[]).length > 0;
  });
  await ask({ type: "remove_silence", id: (made.silence as { id: string }).id });
  await ask({ type: "test_way", way: "page" });
  for (const type of ["notification", "notifications_changed"]) await client.until(type, (frame) => frame.type === type, from);
}
