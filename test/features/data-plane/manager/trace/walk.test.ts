import { expect, it, test } from "vitest";
import type { SubjectTrace } from "../../../../../src/bus/broker/trace/subject-trace.ts";
import type { BrokerSpan } from "../../../../../src/features/data-plane/manager/trace/broker-readings.ts";
import {
  type TracedBroker,
  type TracedPublisher,
  type TracedSubscriber,
  type Way,
  walk,
} from "../../../../../src/features/data-plane/manager/trace/walk.ts";

type Trace = Partial<SubjectTrace>;

const up = (name: string, dropped = 0, waiting = 0) => ({ name, is_up: true, waiting, dropped });
const reader = (change: Partial<SubjectTrace["subscribers"][number]> = {}) => ({
  connection: 7,
  delivered: 0,
  waiting: 0,
  dropped: 0,
  hidden: false,
  ...change,
});

function span(before: Trace, after: Trace, quietMs: number | null = 100): BrokerSpan {
  const nothing = { published: 0, received: 0, links: [], subscribers: [], refused: [] };
  return { before: { ...nothing, ...before }, after: { ...nothing, ...before, ...after }, quietMs, seconds: 1 };
}

/** A topic that arrives: from a program of rt1 over the manager's broker to one of rt2. */
const FROM: TracedBroker = { host: "rt1", span: span({ published: 0, links: [up("hub")] }, { published: 1_000 }) };
const HUB: TracedBroker = { host: null, span: span({ links: [up("host:rt1"), up("host:rt2")] }, { received: 1_000 }) };
const TO: TracedBroker = {
  host: "rt2",
  span: span({ links: [up("hub")], subscribers: [reader()] }, { received: 1_000, subscribers: [reader({ delivered: 1_000 })] }),
};
const record: TracedPublisher["record"] = {
  definition: "{}",
  definition_name: "ArmState",
  definition_problem: null,
  encoding: "json",
  keep_last: false,
  counters: { at: 0, packets: 1_000, bytes: 0, last_size: 8, dropped: 0, kept_dropped: 0, rate: 1_000, bytes_rate: 0 },
};
const publisher: TracedPublisher = { client: "driver", host: "rt1", broker: FROM, record, conflict: null, limits: [] };
const subscriber: TracedSubscriber = { client: "view", host: "rt2", broker: TO, connection: 7, topics: ["arm/state"] };
const way: Way = {
  topic: "arm/state",
  publisher,
  subscriber,
  to: null,
  hub: HUB,
  topics: ["arm/state"],
  subscribed: ["arm/stat"],
  clients: ["driver", "view"],
  away: [],
};

const silent = { ...FROM, span: span({ published: 12, links: [up("hub")] }, {}, 9_000) };
const counters = { ...record.counters, packets: 0 };
const limit = {
  min_rate: 2_000,
  max_gap_ms: null,
  max_latency_ms: null,
  met: false,
  since: "2026-11-27T01:00:00.000",
  problem: "1000 messages/s, at least 2000 are expected",
};
const toSpan = (change: Trace): TracedSubscriber => ({
  ...subscriber,
  broker: { ...TO, span: span({ links: [up("hub")], subscribers: [reader()] }, change) },
});

test("a topic that arrives has a step for each place, with what was counted there", () => {
  const steps = walk(way);
  expect(steps.map(({ kind, name, host, messages, rate }) => [kind, name, host, messages, rate])).toEqual([
    ["publisher", "driver", "rt1", 1_000, 1_000],
    ["broker", "rt1", "rt1", 1_000, 1_000],
    ["link", "rt1 → manager", null, null, null],
    ["broker", "manager", null, 1_000, 1_000],
    ["link", "manager → rt2", null, null, null],
    ["broker", "rt2", "rt2", 1_000, 1_000],
    ["subscriber", "view", "rt2", 1_000, 1_000],
  ]);
  expect(steps.filter(({ problem }) => problem !== null)).toEqual([]);
  expect(steps[0]).toMatchObject({ last_age_ms: 100, definition: "json, ArmState" });
});

test("programs of one host need no link, and a nats-server in the middle is a link on either side of it", () => {
  const local = {
    ...subscriber,
    broker: { ...FROM, span: span({ subscribers: [reader()] }, { published: 9, subscribers: [reader({ delivered: 9 })] }) },
  };
  expect(walk({ ...way, subscriber: local }).map(({ kind }) => kind)).toEqual(["publisher", "broker", "subscriber"]);
  const steps = walk({ ...way, hub: null });
  expect(steps.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "publisher driver",
    "broker rt1",
    "link rt1 → nats-server",
    "link nats-server → rt2",
    "broker rt2",
    "subscriber view",
  ]);
  expect(steps.filter(({ problem }) => problem !== null)).toEqual([]);
});

it.each<[string, Partial<Way>, string, RegExp]>([
  [
    "no publisher, and a similar name",
    { publisher: null, topics: ["arm/stat"] },
    "publisher",
    /^no client publishes 'arm\/state'; did you mean 'arm\/stat'\?$/,
  ],
  [
    "a name that is remapped",
    { publisher: null, topics: ["sim/arm/state"] },
    "publisher",
    /it may be renamed: 'sim\/arm\/state' is published$/,
  ],
  [
    "no publisher while a host is away",
    { publisher: null, topics: [], away: ["rt3"] },
    "publisher",
    /'rt3' cannot be reached, and what is published there is not known$/,
  ],
  [
    "a publisher that has published nothing yet",
    { publisher: { ...publisher, broker: silent, record: { ...record, counters } } },
    "publisher",
    /nothing so far$/,
  ],
  ["a publisher that is silent", { publisher: { ...publisher, broker: silent } }, "publisher", /has published nothing for 9 s$/],
  ["a second publisher", { publisher: { ...publisher, conflict: "client 'other' publishes it, too" } }, "publisher", /^client 'other'/],
  [
    "a definition that does not fit",
    { publisher: { ...publisher, record: { ...record, definition_problem: "unknown type" } } },
    "publisher",
    /cannot be decoded: unknown type$/,
  ],
  ["a rate below its limit", { publisher: { ...publisher, limits: [limit] } }, "publisher", /not within its limits: 1000 messages\/s/],
  [
    "a host of the publisher that is away",
    { publisher: { ...publisher, broker: { host: "rt1", span: "its daemon is not connected" } } },
    "broker",
    /^the broker of host 'rt1' could not be read: its daemon is not connected$/,
  ],
  [
    "a link that loses messages",
    {
      publisher: { ...publisher, broker: { ...FROM, span: span({ links: [up("hub", 3)] }, { published: 1_000, links: [up("hub", 53)] }) } },
    },
    "link",
    /lost 50 messages/,
  ],
  [
    "a link from the manager that loses messages",
    {
      hub: {
        ...HUB,
        span: span({ links: [up("host:rt1"), up("host:rt2", 1)] }, { received: 900, links: [up("host:rt1"), up("host:rt2", 5)] }),
      },
    },
    "link",
    /lost 4 messages/,
  ],
  [
    "a cut link of the subscriber's host",
    { subscriber: toSpan({ links: [{ ...up("hub"), is_up: false }] }) },
    "link",
    /^the link of host 'rt2' is cut$/,
  ],
  [
    "a host of the subscriber that is away",
    { subscriber: { ...subscriber, broker: { host: "rt2", span: "its daemon is not connected" } } },
    "broker",
    /^the broker of host 'rt2' could not be read/,
  ],
  ["no subscriber", { subscriber: null }, "subscriber", /^no client subscribes to 'arm\/state'; did you mean 'arm\/stat'\?$/],
  ["a subscriber that is not connected", { subscriber: null, to: "vew" }, "subscriber", /'vew' is connected; did you mean 'view'\?$/],
  [
    "a subscriber of a similar name",
    { subscriber: { ...toSpan({ received: 1_000, subscribers: [] }), topics: ["arm/stat"] } },
    "subscriber",
    /does not subscribe to 'arm\/state'; did you mean 'arm\/stat'\?$/,
  ],
  [
    "a refused subscription",
    { subscriber: toSpan({ received: 1_000, subscribers: [], refused: [7] }) },
    "subscriber",
    /was refused: its user has no right/,
  ],
  [
    "a wildcard that does not include the topic",
    { subscriber: toSpan({ received: 1_000, subscribers: [reader({ hidden: true })] }) },
    "subscriber",
    /no right/,
  ],
  [
    "a subscriber that reads too slowly",
    { subscriber: toSpan({ received: 1_000, subscribers: [reader({ delivered: 900, dropped: 40, waiting: 5 })] }) },
    "subscriber",
    /reads too slowly: 40 messages/,
  ],
])("%s is found, with what to do", (_title, change, kind, problem) => {
  const first = walk({ ...way, ...change }).find((step) => step.problem !== null);
  expect(first?.kind).toBe(kind);
  expect(first?.problem).toMatch(problem);
  expect(first?.advice).toMatch(/\w+/);
});

test("a silent topic whose newest message is kept is in order: new subscribers get it", () => {
  const kept = { ...publisher, broker: silent, record: { ...record, keep_last: true } };
  expect(walk({ ...way, publisher: kept }).find(({ problem }) => problem !== null)).toBeUndefined();
});
