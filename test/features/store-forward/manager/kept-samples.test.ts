import { expect, it } from "vitest";
import { storeSteps } from "../../../../src/features/store-forward/manager/kept-samples.ts";
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
