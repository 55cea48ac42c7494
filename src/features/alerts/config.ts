import type { z } from "zod";
import { LinearRegex, PatternRefused } from "../../base/patterns/linear-regex.ts";
import { hasLength } from "../../base/text/text-length.ts";
import type { ConfigFeature } from "../../config/config-feature.ts";
import { leaf, listOr, orNull, Refusal, section } from "../../config/schema/schema-kinds.ts";
import { choice, positiveDuration } from "../../config/schema/schema-values.ts";
import { durationText, parseDuration } from "../../config/schema/units.ts";
import { ALERT_PATTERN, MAX_PATTERN_CHARS } from "./pattern.ts";

/** Shortest silence that counts, milliseconds. */
const MIN_SILENT_MS = 1_000;
const REASONS = ["silent_for", "output_matches"] as const;

const pattern = leaf<string, string>(
  `a regular expression of 1 to ${MAX_PATTERN_CHARS} characters, as text`,
  { type: "string", minLength: 1, maxLength: MAX_PATTERN_CHARS },
  (value) => {
    if (typeof value !== "string" || !hasLength(value, 1, MAX_PATTERN_CHARS)) return undefined;
    // Lines are examined one by one.
    if (/[\r\n]/.test(value)) return new Refusal("must not contain a line end: each line of the output is examined by itself");
    try {
      new LinearRegex(value, { use: ALERT_PATTERN });
      return value;
    } catch (error) {
      if (!(error instanceof PatternRefused)) throw error;
      return new Refusal(`cannot be used: ${error.message}`);
    }
  },
);

const rule = section(
  {
    silent_for: orNull(
      "The process needs attention when it has written nothing for this long, at least 1s, while it is started or ready. It is no alert while the process is paused.",
      positiveDuration,
    ),
    output_matches: orNull(
      "The process needs attention when a line of its output matches this regular expression (RE2), until that is acknowledged or the process starts again.",
      pattern,
    ),
  },
  {
    allowed: "a mapping with at least one of the keys silent_for, output_matches, or none",
    json: { anyOf: REASONS.map((key) => ({ required: [key] })) },
    check: (values, report) => {
      if (!REASONS.some((key) => values.has(key)))
        report({ path: [], message: `must have at least one of the keys ${REASONS.join(", ")}`, at: "key" });
      const silent = parseDuration(values.get("silent_for"));
      if (silent !== undefined && silent > 0 && silent < MIN_SILENT_MS)
        report({ path: ["silent_for"], message: "must be at least 1s: programs write in bursts" });
    },
  },
);
const none = choice("none").transform(() => null);
const alert = listOr(none, rule, (value) => typeof value === "string");

const shared = {
  alert: orNull(
    "When the process needs attention although it runs: see docs/alerts.md. Of 'defaults', templates and the process, the last one counts as a whole; none: no alert.",
    alert,
  ),
};
type SharedKeys = z.output<z.ZodObject<typeof shared>>;

/** The part of a process's definition about alerts. */
type AlertDefinition = {
  /** When the process needs attention; times in milliseconds. Null: its state alone decides. */
  readonly alert: { readonly silent_for: number | null; readonly output_matches: string | null } | null;
};

export const alertsConfig = {
  shared,
  appliedAtOnce: ["alert"],
  resolveProcess: ({ alert }: SharedKeys): AlertDefinition => ({ alert }),
  describeProcess: ({ alert }: AlertDefinition) => ({
    alert: alert && {
      ...(alert.silent_for === null ? {} : { silent_for: durationText(alert.silent_for) }),
      ...(alert.output_matches === null ? {} : { output_matches: alert.output_matches }),
    },
  }),
} satisfies ConfigFeature;
