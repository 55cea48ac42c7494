import type { z } from "zod";
import { MAX_DURATION_MS } from "../../base/timing/clock.ts";
import { topicNameProblem } from "../../base/topics/topic-subject.ts";
import type { ConfigFeature } from "../../config/config-feature.ts";
import { defaulted, described, leaf, orNull } from "../../config/schema/schema-kinds.ts";
import { positiveDuration, text } from "../../config/schema/schema-values.ts";
import { durationText } from "../../config/schema/units.ts";
import { PUBLISHING, type TopicProbe } from "./contract.ts";
import { checkPublishing } from "./publishing-references.ts";

/** Beyond its window, an attempt takes this long at most, milliseconds. */
const JUDGING_MS = 10_000;
const MAX_RATE = 1_000_000;

const rate = leaf<number, number>(
  `a number of messages per second, above 0 and up to ${MAX_RATE}`,
  { type: "number", exclusiveMinimum: 0, maximum: MAX_RATE, unit: "per second" },
  (value) => (typeof value === "number" && value > 0 && value <= MAX_RATE ? value : undefined),
);
const topic = text("the name of a topic", (name) => {
  const problem = topicNameProblem(name);
  return problem === null ? null : `is no name of a topic: it ${problem}`;
});

const window = (purpose: string) =>
  defaulted(`With topic: the time for which messages are counted ${purpose}. Default {}.`, positiveDuration, "1s");

const ready = {
  topic: described("Succeeds when a program of the process's host publishes on this topic.", topic),
  rate: orNull("With topic: at least this many messages a second, within one window.", rate),
  window: window("before they are compared with 'rate'"),
};
const alive = {
  topic: described("Succeeds while programs of the process's host publish on this topic, within the limits below.", topic),
  min_rate: orNull("With topic: at least this many messages a second.", rate),
  max_gap: orNull("With topic: the longest time between two messages.", positiveDuration),
  max_latency: orNull(
    "With topic: the longest time from publication, as the publisher states it (Mgr-Time), to receipt by the host's broker.",
    positiveDuration,
  ),
  window: window("before they are compared with the limits"),
};

type Values = Partial<z.output<z.ZodObject<typeof ready>> & z.output<z.ZodObject<typeof alive>>>;

export const topicHealthConfig = {
  condition: `${PUBLISHING}: the topics that its 'ready' and 'alive' name arrive by their limits.`,
  checkReferences: checkPublishing,
  probe: {
    key: "topic",
    ready,
    alive,
    toProbe({ topic, rate = null, min_rate = rate, max_gap = null, max_latency = null, window = 0 }: Values): TopicProbe | null {
      if (topic === undefined) return null;
      const limits = { min_rate, max_gap_ms: max_gap, max_latency_ms: max_latency };
      return { kind: "topic", topic, ...limits, interval_ms: window, timeout_ms: Math.min(window + JUDGING_MS, MAX_DURATION_MS) };
    },
    describe({ topic, min_rate, max_gap_ms, max_latency_ms, interval_ms }: TopicProbe, place) {
      const limits = {
        [place === "ready" ? "rate" : "min_rate"]: min_rate,
        max_gap: max_gap_ms === null ? null : durationText(max_gap_ms),
        max_latency: max_latency_ms === null ? null : durationText(max_latency_ms),
      };
      const set = Object.entries(limits).filter(([, limit]) => limit !== null);
      return { topic, ...Object.fromEntries(set), window: durationText(interval_ms) };
    },
  },
} satisfies ConfigFeature;
