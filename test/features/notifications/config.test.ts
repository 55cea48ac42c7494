import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import { parseConfigText } from "../../../src/config/load/load.ts";
import { redactConfig } from "../../../src/config/redact.ts";

const parsed = (text: string) => parseConfigText(`instance: {name: t, manager: ":0"}\n${text}\n`, "mgr.yaml");
const settings = (text: string) => parsed(`notifications:\n  ways: {w: {browser: {}}}\n  rules: [${text}]`).notifications;

test("a rule has defaults for everything but its ways", () => {
  expect(settings("{ways: [w]}").rules).toEqual([
    {
      name: null,
      on: null,
      processes: null,
      tags: null,
      hosts: null,
      ways: ["w"],
      for: 0,
      group_by: "rule",
      group_wait: 5_000,
      at_most: 20,
      within: 3_600_000,
      repeat: null,
      quiet: [],
      recovered: true,
    },
  ]);
  expect(settings('{ways: [w], for: 30s, quiet: ["22:00-07:30"]}').rules).toMatchObject([
    { for: 30_000, quiet: [{ from: 1_320, until: 450 }] },
  ]);
});

it.each([
  ["an unknown way", "{ways: [x]}", "there is no way 'x'"],
  ["no way", "{}", "notifications.rules[0].ways: is missing"],
  ["an empty list of ways", "{ways: []}", "must name at least one way"],
  ["an unknown kind", "{ways: [w], on: [crash_lop]}", "is not a kind of condition: 'crash_lop'; did you mean 'crash_loop'?"],
  ["hours that are none", '{ways: [w], quiet: ["22-7"]}', 'must be hours such as "22:00-07:00"'],
  ["no hours", '{ways: [w], quiet: ["07:00-07:00"]}', "begins and ends at the same time"],
  ["a name twice", "{ways: [w], name: a}, {ways: [w], name: a}", "another rule has the name 'a', too"],
  ["an unknown key", "{ways: [w], silent: 3s}", "unknown key"],
])("refuses a rule with %s, and says where", (_what, rule, message) => {
  expect(() => settings(rule)).toThrow(message);
});

it.each([
  ["two kinds", "{browser: {}, bell: {}}", "must have one of the keys webhook, email, command, browser, bell, found 2"],
  ["no kind", "{}", "must have one of the keys"],
  ["no address", "{webhook: {format: slack}}", "w.webhook.url: is missing"],
  ["an address of another kind", "{webhook: {url: 'ftp://x'}}", "must begin with https:// or http://"],
  ["a secret with two places", "{webhook: {url: {file: a, env: B}}}", "must have one of the keys file, env"],
  ["a token in plain text", "{webhook: {url: 'http://x', token: abc}}", "must be a mapping with one of the keys file, env"],
  ["PagerDuty without a key", "{webhook: {format: pagerduty}}", "routing_key: is missing"],
  ["a long time-out", "{webhook: {url: 'http://x', timeout: 10m}}", "timeout: must be at most 5m"],
  ["a login without a password", "{email: {host: h, from: a@b, to: [c@d], user: u}}", "must have both of user and password"],
  ["an address with a line end", '{email: {host: h, from: "a@b\\nBcc: x@y", to: [c@d]}}', "must be an address such as"],
  ["a command without words", "{command: {run: []}}", "must have at least one word"],
])("refuses a way with %s, and says where", (_what, way, message) => {
  expect(() => parsed(`notifications: {ways: {w: ${way}}}`)).toThrow(message);
});

test("a copy of the configuration for others has no address of a webhook", () => {
  const text = redactConfig("notifications:\n  ways:\n    team: {webhook: {url: 'https://hooks.lab/secret', format: slack}}\n");
  expect(text).toContain("team");
  expect(text).not.toContain("hooks.lab");
});

test("the examples of docs/notifications.md are configurations", () => {
  const document = readFileSync(join(import.meta.dirname, "../../../docs/notifications.md"), "utf8");
  const examples = [...document.matchAll(/^```yaml\n(.*?)^```/gmsu)].map(([, example = ""]) => parsed(example).notifications);
  expect(examples.length).toBeGreaterThan(1);
  for (const { ways, rules } of examples) expect(ways.size + rules.length).toBeGreaterThan(0);
});
