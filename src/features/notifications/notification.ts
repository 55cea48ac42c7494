import { z } from "zod";
import { timestamp } from "../../protocol/frames/field-kinds.ts";

/** A notification, as it is kept, shown and sent. */

const item = z
  .object({
    kind: z.string().describe("Kind of the condition, such as `crash_loop`."),
    process: z.string().nullable(),
    host: z.string().nullable(),
    text: z.string().describe("A sentence; it may quote what a program wrote."),
    status: z
      .enum(["raised", "lasting", "recovered", "ended"])
      .describe(
        "raised: it began; lasting: it was notified before; recovered: good again; ended: over for another reason, such as a stop.",
      ),
    since: timestamp,
    until: timestamp.nullable().describe("When it was over; null while it lasts."),
    times: z.int().describe("How often it began since the notification before; 0: that told of it."),
  })
  .meta({ id: "NotificationItem" });
export type NotificationItem = z.infer<typeof item>;

export const notification = z
  .object({
    key: z.string().describe("Stays the same in all attempts and ways."),
    rule: z.string(),
    time: timestamp,
    title: z.string(),
    items: z.array(item).describe("At most 20; the worst first."),
    more: z.int().describe("Further conditions that are not listed."),
  })
  .meta({ id: "Notification" });
export type Notification = z.infer<typeof notification>;

export const delivery = z
  .object({
    notification,
    way: z.string(),
    way_kind: z.string(),
    state: z.enum(["waiting", "sent", "failed"]).describe("failed: given up."),
    attempts: z.int(),
    next_attempt: timestamp.nullable().describe("While it waits; null: at once."),
    result: z.string().nullable().describe("Result of the last attempt, without secrets."),
    finished: timestamp.nullable(),
  })
  .meta({ id: "NotificationDelivery" });
export type Delivery = z.infer<typeof delivery>;

export const silence = z
  .object({
    id: z.string(),
    pattern: z.string().describe("Process, group, host or fnmatch pattern."),
    until: timestamp,
    created: timestamp,
    by: z.string(),
    reason: z.string(),
  })
  .meta({ id: "Silence", description: "Conditions of what matches are not notified until its end." });
export type Silence = z.infer<typeof silence>;
