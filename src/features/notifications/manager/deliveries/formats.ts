import type { WebhookWay } from "../../config-ways.ts";
import type { Notification } from "../../notification.ts";
import { linesOf } from "../../notification-text.ts";

/** Bodies of webhooks. What processes control is text in JSON: no format interprets it, so it cannot contain mentions or links. */

interface Body {
  readonly type: string;
  readonly text: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface FormatInput {
  readonly notification: Notification;
  readonly instance: string;
  /** Key of the integration, for pagerduty. */
  readonly routingKey: string | null;
}

export function bodyOf(format: WebhookWay["format"], input: FormatInput): Body {
  const { notification } = input;
  const { title } = notification;
  const lines = linesOf(notification);
  switch (format) {
    case "json":
      return json({ instance: input.instance, ...notification });
    case "slack":
      return json({
        text: slackText(title),
        blocks: [
          { type: "header", text: { type: "plain_text", text: cut(title, 150), emoji: false } },
          { type: "section", text: { type: "plain_text", text: cut(lines.join("\n"), 3_000), emoji: false } },
        ],
      });
    case "mattermost":
      return json({ text: cut(`#### ${markdownText(title)}\n${lines.map((line) => `- ${markdownText(line)}`).join("\n")}`, 16_000) });
    case "teams":
      return json(teamsCard(title, lines));
    case "ntfy":
      return {
        type: "text/plain; charset=utf-8",
        text: cut(lines.join("\n"), 4_000),
        headers: {
          title: encodedWord(title),
          priority: isProblem(notification) ? "4" : "3",
          tags: isProblem(notification) ? "warning" : "white_check_mark",
        },
      };
    case "pagerduty":
      return json(pagerdutyEvent(input, lines));
  }
}

const json = (value: object): Body => ({ type: "application/json", text: JSON.stringify(value) });
const cut = (text: string, length: number) => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);
const isProblem = ({ items }: Notification) => items.some(({ status }) => status === "raised" || status === "lasting");

/** Slack's `text` is read as markup: these three characters begin all of it. */
const slackText = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/** Markdown without markup and without mentions: each of their characters is escaped, "@" is split by an invisible joiner. */
const markdownText = (text: string) =>
  text
    .replace(/[\\`*_{}[\]()#+!|<>~:-]/g, "\\$&")
    .replace(/@/g, "@\u2060")
    .replace(/\n/g, " ");

/** A header has ASCII only: RFC 2047, which ntfy decodes. */
function encodedWord(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(cut(text, 150)).toString("base64")}?=`;
}

/** An adaptive card. TextBlocks read a part of Markdown. */
function teamsCard(title: string, lines: readonly string[]): object {
  const block = (text: string, more: object) => ({ type: "TextBlock", text: cut(markdownText(text), 2_000), wrap: true, ...more });
  const body = [block(title, { weight: "Bolder", size: "Medium" }), ...lines.map((line) => block(line, { spacing: "Small" }))];
  const content = { $schema: "http://adaptivecards.io/schemas/adaptive-card.json", type: "AdaptiveCard", version: "1.4", body };
  return { type: "message", attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content }] };
}

/** One event for each notification: it triggers while something of it lasts, and is the key of its own, as several conditions share it. */
function pagerdutyEvent({ notification, instance, routingKey }: FormatInput, lines: readonly string[]): object {
  const { key, items, rule, time, title } = notification;
  const [first] = items;
  // A notification about one condition has that condition's key, so that its end resolves the incident.
  const dedup =
    items.length === 1 && first !== undefined ? `mgr/${instance}/${rule}/${first.kind}/${first.process ?? first.host ?? ""}` : `mgr/${key}`;
  return {
    routing_key: routingKey,
    event_action: isProblem(notification) ? "trigger" : "resolve",
    dedup_key: cut(dedup, 255),
    payload: {
      summary: cut(title, 1_024),
      source: instance,
      severity: "error",
      timestamp: `${time}Z`,
      custom_details: { lines: lines.map((line) => cut(line, 1_000)), key },
    },
  };
}
