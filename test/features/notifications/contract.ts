import { arrayOf, nullable, oneOf, optional, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, result, row } from "../../contract/rows.ts";

const name = nullable("string");
const names = arrayOf("string");
const time = nullable("timestamp");

export const notificationsContract: FeatureContract = {
  clientFrames: {
    request_notifications: row({}, "notifications"),
    create_silence: row({ pattern: "string", seconds: "integer", reason: optional("string") }, "silence_created"),
    remove_silence: row({ id: "string" }),
    test_way: row({ way: "string" }, "way_tested"),
  },
  managerFrames: {
    notifications: event({
      ways: arrayOf(table("notification way")),
      rules: arrayOf(table("notification rule")),
      silences: arrayOf(table("silence")),
      deliveries: arrayOf(table("delivery")),
    }),
    silence_created: result({ pattern: "string" }, { silence: table("silence") }),
    way_tested: result({ way: "string" }, { sent: "boolean", result: "string" }),
    notification: event({ way: oneOf("browser", "bell"), notification: table("notification") }),
    notifications_changed: event({}),
  },
  resources: {
    "notification way": {
      name: "string",
      kind: oneOf("webhook", "email", "command", "browser", "bell"),
      target: "string",
      waiting: "integer",
      last_state: nullable(oneOf("sent", "failed")),
      last_time: time,
    },
    "notification rule": {
      name: "string",
      on: nullable(names),
      processes: nullable(names),
      tags: nullable(names),
      hosts: nullable(names),
      ways: names,
      for: "number",
      group_by: oneOf("rule", "kind", "group", "host", "process"),
      group_wait: "number",
      at_most: "integer",
      within: "number",
      repeat: nullable("number"),
      quiet: names,
      quiet_now: "boolean",
      recovered: "boolean",
      matches: arrayOf(table("rule match")),
      more: "integer",
    },
    "rule match": {
      kind: "string",
      process: name,
      host: name,
      text: "string",
      since: "timestamp",
      state: oneOf("pending", "batched", "notified", "silenced"),
      counts: time,
    },
    silence: { id: "string", pattern: "string", until: "timestamp", created: "timestamp", by: "string", reason: "string" },
    notification: {
      key: "string",
      rule: "string",
      time: "timestamp",
      title: "string",
      items: arrayOf(table("notification item")),
      more: "integer",
    },
    "notification item": {
      kind: "string",
      process: name,
      host: name,
      text: "string",
      status: oneOf("raised", "lasting", "recovered", "ended"),
      since: "timestamp",
      until: time,
      times: "integer",
    },
    delivery: {
      notification: table("notification"),
      way: "string",
      way_kind: "string",
      state: oneOf("waiting", "sent", "failed"),
      attempts: "integer",
      next_attempt: time,
      result: name,
      finished: time,
    },
  },
};
