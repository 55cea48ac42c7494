import { expect, test } from "vitest";
import type { HostSession } from "../../../../src/app/hosts/host-session.ts";
import { topicOfSubject } from "../../../../src/base/topics/topic-subject.ts";
import type { ManagerDataPlane } from "../../../../src/features/data-plane/manager/index.ts";
import { ManagerTopicLatency } from "../../../../src/features/topic-latency/manager/topic-latency.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const NOW = 1_790_000_000_000_000_000n;
const AHEAD = 1_300_000_000n;
const figures = {
  ...{ messages: 1, below_zero: 0, min: 1, mean: 1, p50: 1, p90: 1, p99: 1, p999: 1, max: 1, deviation: 0, jitter: 0 },
  ...{ bins: [{ from: 1, messages: 1 }], worst: { from: String(NOW), until: String(NOW + 1n), seq: 1 } },
};
const measured = {
  ...{ messages: 1, lost: 0, unstamped: 0, late: 0, one_in: 1, other_paths: 0, unmatched: 0 },
  paths: [{ topics: ["a", "b"], total: figures, legs: [figures, figures] }],
};

/** Topic `a` is published on the host `far`, and `b` in answer to it on the host `near`. */
class Rig {
  readonly clock = new SimulatedClock();
  /** Offsets of clocks that each measurement began with. */
  readonly begun: unknown[] = [];
  readonly latency: ManagerTopicLatency;

  constructor(far: (request: string) => Promise<unknown>) {
    const near = async (request: string, fields: { clocks?: unknown }) => {
      if (request === "begin_latency") this.begun.push(fields.clocks);
      return { begin_latency: { id: 0 }, end_latency: measured, latency_threads: { time: String(NOW), processes: [] } }[request];
    };
    const session = (request: unknown) =>
      ({ isOpen: true, link: { request }, command: (run: (id: string) => unknown) => run("s") }) as unknown as HostSession;
    const sessions = new Map([
      ["near", session(near)],
      ["far", session(far)],
    ]);
    const hostOf = (topic: string | null) => (topic === "a" ? "far" : "near");
    const tables = {
      topic: (subject: string) => {
        const name = topicOfSubject(subject);
        return { known: { broker: { host: hostOf(name) } }, publisher: { record: { name, pid: 0 } }, resource: { limits: [] } };
      },
    };
    const dataPlane = { tables, hostOf: (publisher: { record: { name: string } }) => hostOf(publisher.record.name) };
    this.latency = new ManagerTopicLatency({
      dataPlane: dataPlane as unknown as ManagerDataPlane,
      hosts: { session: (host: string) => sessions.get(host) ?? null } as never,
      flight: { list: () => [] },
      clock: this.clock,
      now: () => NOW,
    });
  }

  async measure() {
    const result = this.latency.measure({ name: "b", sample_seconds: 1 });
    // Discovery, two readings of at most 2 s each, and the measurement.
    await this.clock.advance(5_500);
    return result;
  }
}

test("a host that does not answer delays the result by at most 4 s, and its clock is said to be unknown", async () => {
  const rig = new Rig(() => new Promise(() => {}));
  const { stages } = await rig.measure();
  expect(stages.map(({ topic, offset_ms }) => [topic, offset_ms])).toEqual([
    ["a", null],
    ["b", 0],
  ]);
  expect(rig.begun).toEqual([[], [{ topic: "b", ahead_ns: 0 }]]);
});

test("the offset of a publisher's clock is measured before its topic, and told", async () => {
  const rig = new Rig(async () => ({ time: String(NOW + AHEAD), processes: [] }));
  const { stages } = await rig.measure();
  expect(stages[0]).toMatchObject({ topic: "a", host: "far", offset_ms: 1_300 });
  expect(rig.begun[1]).toEqual([
    { topic: "a", ahead_ns: Number(AHEAD) },
    { topic: "b", ahead_ns: 0 },
  ]);
});
