import { z } from "zod";
import { integer, pattern, text, timestamp } from "../../protocol/frames/field-kinds.ts";
import { answer, change, clientFrames, managerFrames, result } from "../../protocol/frames/frame-table.ts";
import { MAX_HISTORY, MAX_MATCHES, MAX_REASON_CHARS, MAX_SILENCE_SECONDS } from "./limits.ts";
import { delivery, notification, silence } from "./notification.ts";

const way = z
  .object({
    name: z.string(),
    kind: z.enum(["webhook", "email", "command", "browser", "bell"]),
    target: z.string().describe("Where it leads, without secrets; may be empty."),
    waiting: z.int().describe("Deliveries that wait, for their first attempt or another one."),
    last_state: z.enum(["sent", "failed"]).nullable().describe("Of the last delivery that was sent or given up; null: there was none."),
    last_time: timestamp.nullable(),
  })
  .meta({ id: "NotificationWay" });
export type WayOverview = z.infer<typeof way>;

const match = z
  .object({
    kind: z.string(),
    process: z.string().nullable(),
    host: z.string().nullable(),
    text: z.string(),
    since: timestamp,
    state: z
      .enum(["pending", "batched", "notified", "silenced"])
      .describe(
        "pending: it counts when it has lasted long enough; batched: it waits to be sent with others; notified; silenced: nothing is sent.",
      ),
    counts: timestamp.nullable().describe("While pending: when it counts."),
  })
  .meta({ id: "RuleMatch", description: "A present condition that a rule applies to." });
export type RuleMatch = z.infer<typeof match>;

const names = z.array(z.string());
const seconds = z.number();
const rule = z
  .object({
    name: z.string(),
    on: names.nullable().describe("Kinds of conditions; null: all."),
    processes: names.nullable(),
    tags: names.nullable(),
    hosts: names.nullable(),
    ways: names,
    for: seconds.describe("Seconds, as all durations here."),
    group_by: z.enum(["rule", "kind", "group", "host", "process"]),
    group_wait: seconds,
    at_most: z.int(),
    within: seconds,
    repeat: seconds.nullable(),
    quiet: names,
    quiet_now: z.boolean(),
    recovered: z.boolean(),
    matches: z.array(match).describe(`What it applies to now, at most ${MAX_MATCHES}.`),
    more: z.int().describe("Further ones."),
  })
  .meta({ id: "NotificationRule", description: "A rule of the configuration; null: no restriction." });
export type RuleOverview = z.infer<typeof rule>;

export const notificationCommands = clientFrames("Notifications", {
  request_notifications: {
    fields: {},
    answer: "notifications",
    scope: "global",
    role: "viewer",
    readOnly: true,
    meaning: "Ways, rules with what they match now, silences, and what was sent.",
  },
  create_silence: {
    fields: {
      pattern: pattern.describe("Process, group (with all below it), host, or fnmatch pattern of them."),
      seconds: integer(1, MAX_SILENCE_SECONDS).describe("Time until its end."),
      reason: text(0, MAX_REASON_CHARS).describe("For people.").exactOptional(),
    },
    answer: "silence_created",
    scope: "global",
    role: "operator",
    meaning: "Holds back notifications about what matches. A condition that still lasts at the end is notified then.",
  },
  remove_silence: {
    fields: { id: text(1, 64).describe("Id of the silence.") },
    answer: null,
    scope: "global",
    role: "operator",
    meaning: "Ends a silence.",
  },
  test_way: {
    fields: { way: text(1, 64).describe("Name of a way.") },
    answer: "way_tested",
    scope: "global",
    role: "operator",
    meaning: "Sends a test on a way, once; answered when its result is known.",
  },
});

export const notificationFrames = managerFrames("Notifications", {
  notifications: answer(
    {
      ways: z.array(way),
      rules: z.array(rule),
      silences: z.array(silence),
      deliveries: z
        .array(delivery)
        .describe(`Those that wait, then those that were sent or given up; the newest first, at most ${MAX_HISTORY}.`),
    },
    "Notifications as of now.",
  ),
  silence_created: result({ pattern: z.string() }, { silence }, "A new silence."),
  way_tested: result(
    { way: z.string() },
    { sent: z.boolean(), result: z.string().describe("In words, without secrets.") },
    "Result of a test.",
  ),
  notification: change({ way: z.enum(["browser", "bell"]), notification }, "A notification for pages, or for the bell of terminals."),
  notifications_changed: change({}, "The answer to `request_notifications` has changed.", () => "notifications"),
});
