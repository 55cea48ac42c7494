import { z } from "zod";
import { pause, systemClock } from "../../base/timing/clock.ts";
import { BUS_REPORT_SUBJECT } from "../../contract/subjects.ts";
import type { Bus } from "../client/bus.ts";
import { jsonOf } from "../client/rpc-envelope.ts";

const counter = z.int().nonnegative();
const memberReport = z.object({
  /** Name of the connection. */
  name: z.string(),
  /** Subjects that it is subscribed to, without its own inboxes. */
  subscriptions: z.array(z.string()),
  subjects: z.record(z.string(), z.object({ out_msgs: counter, out_bytes: counter, in_msgs: counter, in_bytes: counter })),
});

/** The report of a member of the bus about itself. */
export type MemberReport = z.infer<typeof memberReport>;

/** Time to wait for reports of members, milliseconds. */
const COLLECT_MS = 500;

/** Lets `bus` answer requests to all members for their reports. */
export function answerReports(bus: Bus): () => void {
  const subscription = bus.subscribe(BUS_REPORT_SUBJECT, ({ reply }) => {
    if (reply && bus.isConnected) bus.publish(reply, JSON.stringify(bus.report()));
  });
  return () => subscription.unsubscribe();
}

/** Requests the report of every connected member; malformed answers are ignored. Rejects with the errors of `publish`. */
export async function collectReports(bus: Bus): Promise<MemberReport[]> {
  const reports: MemberReport[] = [];
  const inbox = bus.inbox();
  const subscription = bus.subscribe(inbox, ({ data }) => {
    const report = memberReport.safeParse(jsonOf(data));
    if (report.success) reports.push(report.data);
  });
  try {
    bus.publish(BUS_REPORT_SUBJECT, "", { reply: inbox });
    await pause(systemClock, COLLECT_MS);
  } finally {
    subscription.unsubscribe();
  }
  return reports.sort((a, b) => (a.name < b.name ? -1 : 1));
}
