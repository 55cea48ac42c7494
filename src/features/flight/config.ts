import type { z } from "zod";
import { LinearRegex, PatternRefused } from "../../base/patterns/linear-regex.ts";
import { topicNameProblem } from "../../base/topics/topic-subject.ts";
import type { ConfigFeature } from "../../config/config-feature.ts";
import { defaulted, entriesOf, leaf, listOf, listOr, namedMap, orNull, section } from "../../config/schema/schema-kinds.ts";
import { choice, diskSize, integer, recordingSize, ringMemory, text } from "../../config/schema/schema-values.ts";
import { DURATION_PATTERN, parseDuration } from "../../config/schema/units.ts";
import { MAX_SPAN_MS, MAX_TRIGGERS } from "./contract.ts";
import { parseTopicCondition } from "./topic-condition.ts";

/** Settings of the flight recorder (docs/flight.md). */
const MAX_PATTERN_CHARS = 1_024;
const MAX_RATE = 1_000_000;
const DEFAULT_SECONDS = 60;
/** Name of the incidents that users ask for, which no trigger may have. */
export const SNAPSHOT = "snapshot";

const pattern = text("a name or pattern of at most 1024 characters", (value) =>
  value.length <= MAX_PATTERN_CHARS ? null : `has more than ${MAX_PATTERN_CHARS} characters`,
);
const topic = text("the name of a topic", (name) => {
  const problem = topicNameProblem(name);
  return problem === null ? null : `is no name of a topic: it ${problem}`;
});
const span = leaf<string | number, number>(
  "a duration such as 500ms, 5s, 2m or a number of seconds, at most 1h",
  {
    anyOf: [
      { type: "string", pattern: DURATION_PATTERN },
      { type: "number", minimum: 0, maximum: MAX_SPAN_MS / 1_000 },
    ],
    unit: "seconds",
  },
  (value) => {
    const milliseconds = parseDuration(value);
    return milliseconds !== undefined && milliseconds <= MAX_SPAN_MS ? milliseconds : undefined;
  },
);
const rate = leaf<number, number>(
  `a number of messages per second, above 0 and up to ${MAX_RATE}`,
  { type: "number", exclusiveMinimum: 0, maximum: MAX_RATE, unit: "per second" },
  (value) => (typeof value === "number" && value > 0 && value <= MAX_RATE ? value : undefined),
);
const expression = text("a regular expression", (value) => {
  if (value.length > MAX_PATTERN_CHARS) return `has more than ${MAX_PATTERN_CHARS} characters`;
  if (/[\r\n]/.test(value)) return "must not contain a line end: each line of the output is examined by itself";
  try {
    new LinearRegex(value, { use: { of: "a trigger", instead: "write the alternatives of the text one by one, separated by |" } });
    return null;
  } catch (error) {
    if (!(error instanceof PatternRefused)) throw error;
    return `cannot be used: ${error.message}`;
  }
});

/** Keys by kind of trigger, beside `before`, `after` and `quiet`; those that it needs, and those that it may have. */
const KEYS = {
  crash: { needs: [], may: ["processes"] },
  state: { needs: ["states"], may: ["processes"] },
  output: { needs: ["matches"], may: ["processes"] },
  topic: { needs: ["when"], may: ["topic"] },
  gap: { needs: ["topic", "gap"], may: [] },
  rate: { needs: ["topic"], may: ["min_rate", "max_rate"] },
  network: { needs: [], may: [] },
} as const satisfies Record<string, { needs: readonly string[]; may: readonly string[] }>;
const KINDS = ["crash", "state", "output", "topic", "gap", "rate", "network"] as const satisfies readonly (keyof typeof KEYS)[];
const OWN_KEYS = [...new Set(Object.values(KEYS).flatMap(({ needs, may }) => [...needs, ...may]))];

const trigger = section(
  {
    on: choice(...KINDS).meta({
      description:
        "What fires: crash (a process ended unexpectedly), state (a process came into a state), output (a line of output matches), topic (a field of a topic fulfils a comparison), gap (a topic is silent), rate (a topic's rate leaves its limits), network (mgr reports a problem of the network).",
    }),
    processes: defaulted(
      "With crash, state and output: names and patterns of processes. Default: all.",
      listOf("names or patterns", pattern),
      ["*"],
    ),
    states: defaulted("With state: the states of a run that fire.", listOf("states", choice("started", "ready", "ended", "failed")), []),
    matches: orNull("With output: the regular expression (RE2) that a line matches.", expression),
    when: orNull(
      "With topic: a field and what it is compared with, such as 'arm/state.torque[2] > 40 for 50ms'.",
      text("a comparison such as 'arm/state.torque[2] > 40 for 50ms'"),
    ),
    topic: orNull(
      "With gap and rate: the topic. With topic: needed if the name has a '.' or '[', 'when' begins with the field then.",
      topic,
    ),
    gap: orNull("With gap: the silence that fires, of a topic that was published.", span),
    min_rate: orNull("With rate: it fires when fewer messages arrive in a second.", rate),
    max_rate: orNull("With rate: it fires when more messages arrive in a second.", rate),
    before: defaulted("Time before the trigger that is kept. Default {}.", span, "30s"),
    after: defaulted("Time after the trigger that is kept. Default {}.", span, "5s"),
    quiet: defaulted("A trigger that fires again within this time is counted in its incident. Default {}.", span, "1m"),
  },
  { allowed: "a mapping with the key on, and what that kind of trigger needs", check: checkTrigger },
);
export type TriggerSettings = Readonly<z.output<typeof trigger>>;

const sizeOrNone = listOr(
  choice("none").transform(() => 0),
  diskSize,
  (value) => value === "none",
);

const recorder = section(
  {
    memory: defaulted("Bound of the ring in memory of each host. Default {}.", ringMemory, "64MiB"),
    seconds: defaulted("Age after which messages leave the ring, seconds. Default {}.", integer(1, MAX_SPAN_MS / 1_000), DEFAULT_SECONDS),
    disk: orNull(
      "Bound of the ring on disk of each host, which outlives the daemon and a boot; none: no ring on disk. Default: 256MiB with several hosts, else none.",
      sizeOrNone,
    ),
    topics: defaulted("Names and patterns of the topics that are kept. Default: all.", listOf("patterns", pattern), ["*"]),
    max_rate: orNull("Messages of a topic that are kept in a second; of more, every second, third … one is kept. Default: all.", rate),
    terminals: defaulted("Names and patterns of the processes whose output is kept. Default: all.", listOf("patterns", pattern), ["*"]),
    keep: defaulted("Incidents that are kept, beside those that are pinned. Default {}.", integer(1, 1_000), 10),
    max_size: defaulted("Bytes of the incidents that are kept, beside those that are pinned. Default {}.", recordingSize, "2GiB"),
    triggers: defaulted(
      "What makes an incident, by name; crash is one that fires on each crash. Default {}.",
      namedMap("a mapping from names of triggers to {on, before, after, …}", trigger, nameProblem),
      { crash: { on: "crash" } },
    ),
  },
  { allowed: "a mapping with the keys memory, seconds, triggers …, or none", check: checkRecorder },
);
export type FlightSettings = Readonly<z.output<typeof recorder>>;

export const flightConfig = {
  file: {
    flight: orNull(
      "The flight recorder: what each host keeps in a ring, and what makes an incident of it (docs/flight.md). Default: none.",
      listOr(
        choice("none").transform(() => null),
        recorder,
        (value) => typeof value === "string",
      ),
    ),
  },
} satisfies ConfigFeature;

type Report = (finding: { path: (string | number)[]; message: string; at?: "key" | "value" }) => void;

function checkTrigger(values: ReadonlyMap<string, unknown>, report: Report): void {
  const kind = KINDS.find((each) => each === values.get("on"));
  if (kind === undefined) return;
  const { needs, may }: { needs: readonly string[]; may: readonly string[] } = KEYS[kind];
  for (const key of needs)
    if (!values.has(key)) report({ path: [], message: `must have the key ${key}, because it is a trigger on ${kind}`, at: "key" });
  for (const key of OWN_KEYS)
    if (values.has(key) && !needs.includes(key) && !may.includes(key))
      report({ path: [key], message: `has no effect with 'on: ${kind}': remove it`, at: "key" });
  if (kind === "rate" && !values.has("min_rate") && !values.has("max_rate"))
    report({ path: [], message: "must have at least one of the keys min_rate, max_rate, because it is a trigger on rate", at: "key" });
  const states = values.get("states");
  if (kind === "state" && (states === null || (Array.isArray(states) && states.length === 0)))
    report({ path: ["states"], message: "must name at least one state: started, ready, ended or failed" });
  if (kind === "gap" && parseDuration(values.get("gap")) === 0) report({ path: ["gap"], message: "must be more than 0" });
  checkCondition(kind === "topic" ? values.get("when") : null, values.get("topic"), report);
}

function checkCondition(when: unknown, topic: unknown, report: Report): void {
  if (typeof when !== "string" || when === "") return;
  const condition = parseTopicCondition(when, typeof topic === "string" ? topic : undefined);
  const problem = typeof condition === "string" ? condition : wrongTopic(condition.topic);
  if (problem !== null) report({ path: ["when"], message: problem });
}

function wrongTopic(name: string): string | null {
  const problem = topicNameProblem(name);
  return problem === null ? null : `names the topic '${name}', which ${problem}`;
}

/** A ring that is shorter than what a trigger wants from it would disappoint at the worst moment. */
function checkRecorder(values: ReadonlyMap<string, unknown>, report: Report): void {
  const seconds = values.get("seconds") ?? DEFAULT_SECONDS;
  const triggers = entriesOf(values.get("triggers") ?? null);
  if (typeof seconds !== "number" || triggers === undefined) return;
  if (triggers.size > MAX_TRIGGERS)
    report({ path: ["triggers"], message: `has ${triggers.size} triggers; at most ${MAX_TRIGGERS} are allowed` });
  for (const [name, settings] of triggers) {
    const before = parseDuration(entriesOf(settings)?.get("before"));
    if (before !== undefined && before > seconds * 1_000)
      report({
        path: ["triggers", String(name), "before"],
        message: `must be at most ${seconds}s, which is what 'seconds' of 'flight' keeps`,
      });
  }
}

function nameProblem(name: string): string | null {
  if (name === SNAPSHOT) return `'${SNAPSHOT}' is that of incidents that users ask for with 'mgr snapshot': choose another one`;
  return /^[A-Za-z0-9._-]{1,64}$/.test(name) ? null : `must be 1 to 64 characters A-Z a-z 0-9 . _ -, found '${name}'`;
}
