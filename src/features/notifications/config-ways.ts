import type { z } from "zod";
import { Expanded } from "../../config/schema/expanded.ts";
import { defaulted, described, entriesOf, listOf, listOr, orNull, section } from "../../config/schema/schema-kinds.ts";
import { secretPlace } from "../../config/schema/schema-secret.ts";
import { choice, integer, positiveDuration, text } from "../../config/schema/schema-values.ts";

/** The ways on which notifications are sent (docs/notifications.md). */

export const WEBHOOK_FORMATS = ["json", "slack", "mattermost", "teams", "ntfy", "pagerduty"] as const;
export const WAY_KINDS = ["webhook", "email", "command", "browser", "bell"] as const;
const PAGERDUTY_URL = "https://events.pagerduty.com/v2/enqueue";
/** Longest time for one attempt, milliseconds. */
const MAX_TIMEOUT_MS = 300_000;

function urlProblem(value: string): string | null {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null) return "is not a URL";
  return url.protocol === "https:" || url.protocol === "http:" ? null : "must begin with https:// or http://";
}
const isText = (value: unknown) => typeof value === "string" || value instanceof Expanded;
const url = listOr(text("a URL such as https://hooks.lab/mgr, or {file} or {env}", urlProblem), secretPlace, isText);

const timeout = defaulted("Longest time for one attempt, at most 5m. Default {}.", positiveDuration, "10s");
const boundedTimeout = (values: ReadonlyMap<string, unknown>, report: (finding: { path: string[]; message: string }) => void) => {
  const parsed = positiveDuration.safeParse(values.get("timeout"));
  if (parsed.success && parsed.data > MAX_TIMEOUT_MS) report({ path: ["timeout"], message: "must be at most 5m" });
};

const webhook = section(
  {
    url: defaulted(
      "Address that gets a POST. With a secret in it, use {file: PATH} or {env: NAME}. Default for pagerduty: {}.",
      url,
      PAGERDUTY_URL,
    ),
    format: defaulted(`Form of the body: ${WEBHOOK_FORMATS.join(", ")}. Default {}.`, choice(...WEBHOOK_FORMATS), "json"),
    token: orNull("Sent as 'Authorization: Bearer'.", secretPlace),
    routing_key: orNull("Key of the integration, for pagerduty.", secretPlace),
    timeout,
  },
  {
    check: (values, report) => {
      boundedTimeout(values, report);
      const isPagerduty = values.get("format") === "pagerduty";
      if (isPagerduty && !values.has("routing_key"))
        report({ path: ["routing_key"], message: "is missing; pagerduty needs it", at: "key" });
      if (!isPagerduty && !values.has("url"))
        report({ path: ["url"], message: "is missing; it must be a URL, or {file} or {env}", at: "key" });
    },
  },
);
export type WebhookWay = Readonly<z.output<typeof webhook>>;

const address = text("an address such as ada@lab.example", (value) =>
  /^[^\s<>,;"]+@[^\s<>,;"@]+$/.test(value) && !/[\r\n]/.test(value) ? null : `must be an address such as ada@lab.example, found '${value}'`,
);
const email = section(
  {
    host: text("the name of a mail server").meta({ description: "The mail server." }),
    port: defaulted("Its port. Default {}.", integer(1, 65_535), 587),
    security: defaulted(
      "How the connection is encrypted. starttls: encrypted after the first words, refused otherwise; tls: encrypted from the beginning; none: plain text. Default {}.",
      choice("starttls", "tls", "none"),
      "starttls",
    ),
    user: orNull("User of the mail server. Default: no login.", text("a name")),
    password: orNull("Password of the user.", secretPlace),
    from: address.meta({ description: "Address of the sender." }),
    to: listOf("addresses", address, { minItems: 1 }).meta({ description: "Addresses of the receivers." }),
    timeout,
  },
  {
    check: (values, report) => {
      boundedTimeout(values, report);
      if (values.has("user") !== values.has("password"))
        report({ path: [], message: "must have both of user and password, or none", at: "key" });
      const to = values.get("to");
      if (Array.isArray(to) && to.length === 0) report({ path: ["to"], message: "must have at least one address" });
    },
  },
);
export type EmailWay = Readonly<z.output<typeof email>>;

const word = text("a word");
const command = section(
  {
    run: listOf("words", word, { minItems: 1 }).meta({
      description:
        "Program and arguments, run without a shell as the manager's user, in the folder of this file. It gets the notification as JSON on stdin.",
    }),
    timeout: defaulted("Time after which it is killed with its process group, at most 5m. Default {}.", positiveDuration, "30s"),
  },
  {
    check: (values, report) => {
      boundedTimeout(values, report);
      const run = values.get("run");
      if (Array.isArray(run) && run.length === 0) report({ path: ["run"], message: "must have at least one word" });
    },
  },
);
export type CommandWay = Readonly<z.output<typeof command>>;

const nothing = section({});

export const way = section(
  {
    webhook: described("A POST request.", webhook),
    email: described("Sends a mail.", email),
    command: described("A program that is run.", command),
    browser: described("Notifications of browsers in which the page is open, and allowed to show them: {}.", nothing),
    bell: described("The bell of terminals with `mgr top`: {}.", nothing),
  },
  {
    allowed: `a mapping with one of the keys ${WAY_KINDS.join(", ")}`,
    json: { oneOf: WAY_KINDS.map((kind) => ({ required: [kind] })) },
    check: (values, report) => {
      const kinds = WAY_KINDS.filter((kind) => values.has(kind));
      if (kinds.length !== 1)
        report({ path: [], message: `must have one of the keys ${WAY_KINDS.join(", ")}, found ${kinds.length}`, at: "key" });
    },
  },
);
export type WayDefinition = Readonly<z.output<typeof way>>;

/** Number of entries of a mapping of the file. */
export const sizeOf = (value: unknown): number => entriesOf(value)?.size ?? 0;
