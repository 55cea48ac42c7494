import { expect, it } from "vitest";
import { findKept, storeSteps } from "../../../../src/features/store-forward/manager/kept-samples.ts";
import type { KeptTopic } from "../../../../src/features/store-forward/wire.ts";

const KEPT: KeptTopic = {
  topic: "arm/state",
  host: "robot",
  state: "no_subscriber",
  wait_ms: null,
  samples: 5_000,
  bytes: 1_200_000,
  oldest_age_ms: 12_000,
  sent: 20,
  dropped: 3,
};
const answer = (more: { is_named?: boolean; topics?: KeptTopic[]; away?: string[] }) => async () => ({
  is_named: true,
  topics: [],
  other_topics: 0,
  away: [],
  ...more,
});
const notesOf = async (host: string | null, more: Parameters<typeof answer>[0]) =>
  (await storeSteps(answer(more), "arm/state", host)).map((step) => `${step.kind} ${step.name}: ${step.note}`);

const { host: _host, ...OF_ROBOT } = KEPT;
const find = (patterns: readonly string[]) =>
  findKept({
    patterns: () => patterns,
    ask: async () => ({
      answers: [
        { host: "robot", value: { topics: [OF_ROBOT, { ...OF_ROBOT, topic: "gps" }], other_topics: 2 } },
        { host: "station", value: { topics: [], other_topics: 1 } },
      ],
      away: ["crane"],
    }),
    ownersOf: (object) => ("topic" in object && object.topic === "gps" ? ["navigation"] : ["arm/controller"]),
  });

it("the answers of all hosts are one list, with the hosts that could not be asked", async () => {
  const topics = [KEPT, { ...KEPT, topic: "gps" }];
  expect(await find(["arm/*"])(null, null)).toEqual({ is_named: true, topics, other_topics: 3, away: ["crane"] });
});

it.each([
  { patterns: ["gps", "arm/*"], isNamed: true },
  { patterns: ["gps"], isNamed: false },
])("says whether $patterns name a topic", async ({ patterns, isNamed }) => {
  expect((await find(patterns)("arm/state", null)).is_named).toBe(isNamed);
});

it("without a pattern no host is asked", async () => {
  expect(await find([])(null, null)).toEqual({ is_named: false, topics: [], other_topics: 0, away: [] });
});

it("a user with a role on some processes sees the topics of these alone", async () => {
  const { topics } = await find(["*"])(null, [{ role: "viewer", on: ["arm/*"] }]);
  expect(topics.map(({ topic }) => topic)).toEqual(["arm/state"]);
});

it("a host that keeps samples of a topic is a step of its way, with the reason why they wait", async () => {
  const steps = await storeSteps(answer({ topics: [KEPT] }), "arm/state", "robot");
  expect(steps).toMatchObject([{ kind: "store", host: "robot", messages: 20, waiting: 5_000, dropped: 3, problem: null }]);
  expect(steps[0]?.note).toBe(
    "5,000 samples wait, the oldest from 12 s ago: no program of another host asks for late samples; 20 sent late, 3 dropped",
  );
});

it.each([
  { when: "nothing was kept", more: {}, notes: ["store robot: it keeps samples while its link is cut; none so far"] },
  {
    when: "the host of the publisher cannot be reached",
    more: { away: ["robot"] },
    notes: ["store robot: it keeps samples while its link is cut; it cannot be asked how many: its daemon is not connected"],
  },
  { when: "the topic is not named", more: { is_named: false }, notes: [] },
])("the step of the publisher's host where $when", async ({ more, notes }) => {
  expect(await notesOf("robot", more)).toEqual(notes);
});

it("samples that are kept on another host than that of the publisher are shown, too", async () => {
  expect(await notesOf(null, { topics: [{ ...KEPT, state: "sending", samples: 1, dropped: 0 }] })).toEqual([
    "store robot: 1 sample waits, the oldest from 12 s ago: being sent; 20 sent late, 0 dropped",
  ]);
});
