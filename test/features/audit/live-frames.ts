import type { Live } from "../../e2e/support/live-frames.ts";

/** Commands were given before. */
export async function auditLive({ ask, process: name }: Live): Promise<void> {
  const long = "2000-01-01T00:00:00.000";
  const late = "2999-01-01T00:00:00.000";
  const page = await ask({ type: "request_audit", command: "*_process", names: [name], since: long, until: late, limit: 1 });
  const { before, entries } = page as unknown as { before: string; entries: { user: string }[] };
  await ask({ type: "request_audit", user: entries[0]?.user ?? "", before });
}
