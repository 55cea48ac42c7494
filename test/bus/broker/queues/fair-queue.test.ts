import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BorrowedMessage } from "../../../../src/bus/broker/borrowed-message.ts";
import type { Subscriber } from "../../../../src/bus/broker/broker-subscriber.ts";
import { FairQueue } from "../../../../src/bus/broker/queues/fair-queue.ts";
import { DEFAULT_POLICY, type TopicPolicy } from "../../../../src/bus/broker/queues/topic-policy.ts";

const PUBLISHERS = [1, 2, 3].map((id) => ({ id, fairKey: id }) as unknown as Subscriber);
const [fat, thin] = PUBLISHERS as [Subscriber, Subscriber];

/** A queue, and what became of its messages: `<publisher> <subject> <number>`. */
class Rig {
  readonly sent: string[] = [];
  readonly dropped: string[] = [];
  /** What each flow still has to send or drop. */
  readonly #expected = new Map<string, string[]>();
  grown = 0;
  readonly queue: FairQueue;
  #added = 0;

  constructor(policies: Record<string, Partial<TopicPolicy>> = {}) {
    this.queue = new FairQueue({
      policyOf: (subject) => ({ ...DEFAULT_POLICY, ...policies[subject] }),
      sent: () => {},
      dropped: ({ publisher, subject }, msgs) => {
        for (let n = 0; n < msgs; n++) this.dropped.push(this.#expected.get(`${publisher.id} ${subject}`)?.shift() ?? "unknown");
      },
      grown: (bytes) => {
        this.grown += bytes;
      },
    });
  }

  add(publisher: Subscriber, subject: string, size: number): string {
    const name = `${publisher.id} ${subject} ${this.#added++}`;
    const flow = `${publisher.id} ${subject}`;
    this.#expected.set(flow, [...(this.#expected.get(flow) ?? []), name]);
    const bytes = Buffer.from(`${name}\n`.padEnd(size, "x"));
    this.queue.add({ publisher, subject }, "head ", new BorrowedMessage().of(bytes, 0, bytes.length), bytes.length);
    return name;
  }

  take(limit: number): void {
    const output: Buffer[] = [];
    this.queue.take(limit, output);
    for (const [, name = ""] of Buffer.concat(output)
      .toString()
      .matchAll(/head (\d+ \S+ \d+)\n/g)) {
      const flow = name.split(" ").slice(0, 2).join(" ");
      const next = this.#expected.get(flow)?.shift();
      if (next !== name) throw new Error(`${name} was sent before ${next}`);
      this.sent.push(name);
    }
  }

  get waiting(): number {
    return [...this.#expected.values()].reduce((sum, { length }) => sum + length, 0);
  }
}

describe("the queue of a receiver", () => {
  it("sends or drops each message once, keeps each topic in order, and counts its memory, whatever is added, sent and dropped", () => {
    const operation = fc.oneof(
      fc.record({
        kind: fc.constant("add" as const),
        publisher: fc.constantFrom(...PUBLISHERS),
        subject: fc.constantFrom("a", "b", "c.d"),
        size: fc.oneof(fc.integer({ min: 16, max: 300 }), fc.integer({ min: 10_000, max: 40_000 })),
      }),
      fc.record({ kind: fc.constant("take" as const), limit: fc.integer({ min: 1, max: 60_000 }) }),
      fc.record({ kind: fc.constant("evict" as const) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 120 }), (operations) => {
        const rig = new Rig({ b: { priority: 1 } });
        let added = 0;
        for (const one of operations) {
          if (one.kind === "add") {
            rig.add(one.publisher, one.subject, one.size);
            added++;
          } else if (one.kind === "take") rig.take(one.limit);
          else rig.queue.evict(0);
          if (rig.queue.count !== rig.waiting || rig.queue.bytes !== rig.grown) return false;
        }
        rig.take(Number.POSITIVE_INFINITY);
        return (
          rig.sent.length + rig.dropped.length === added &&
          new Set([...rig.sent, ...rig.dropped]).size === added &&
          rig.queue.count === 0 &&
          rig.queue.bytes === 0
        );
      }),
      { interruptAfterTimeLimit: 5_000, numRuns: 2_000 },
    );
    expect(new Rig().queue.count).toBe(0);
  });

  it("sends a short message before a backlog of another topic, of the same publisher and of another one", () => {
    const rig = new Rig();
    for (let n = 0; n < 100; n++) rig.add(fat, "camera", 20_000);
    rig.take(40_000);
    const own = rig.add(fat, "state", 100);
    const other = rig.add(thin, "command", 100);
    const before = rig.sent.length;
    rig.take(200);
    expect(rig.sent.slice(before)).toEqual(expect.arrayContaining([other]));
    rig.take(40_000);
    expect(rig.sent.slice(before, before + 5)).toEqual(expect.arrayContaining([own, other]));
  });

  it("shares the bytes among publishers, however many topics one of them uses", () => {
    const rig = new Rig();
    for (let topic = 0; topic < 50; topic++) for (let n = 0; n < 20; n++) rig.add(fat, `t${topic}`, 1_000);
    for (let n = 0; n < 1_000; n++) rig.add(thin, "t", 1_000);
    rig.take(600_000);
    const fromThin = rig.sent.filter((name) => name.startsWith("2 ")).length;
    expect(fromThin / rig.sent.length).toBeGreaterThan(0.4);
    expect(fromThin / rig.sent.length).toBeLessThan(0.6);
  });

  it("sends topics of a higher priority first, among those of one publisher only", () => {
    const rig = new Rig({ urgent: { priority: 2 } });
    for (let n = 0; n < 50; n++) rig.add(fat, "usual", 1_000);
    for (let n = 0; n < 50; n++) rig.add(fat, "urgent", 1_000);
    for (let n = 0; n < 50; n++) rig.add(thin, "other", 1_000);
    rig.take(70_000);
    expect(rig.sent.filter((name) => name.startsWith("1 usual"))).toEqual([]);
    expect(rig.sent.filter((name) => name.startsWith("2 other")).length).toBeGreaterThan(20);
  });

  it("drops the oldest message of the largest topic of the publisher that uses most, and spares reliable topics", () => {
    const rig = new Rig({ safe: { reliableBytes: 1_000_000 } });
    const kept = rig.add(thin, "command", 100);
    for (let n = 0; n < 50; n++) rig.add(fat, "safe", 5_000);
    const small = rig.add(fat, "state", 100);
    const oldest = [rig.add(fat, "camera", 2_000), rig.add(fat, "camera", 2_000)];
    for (let n = 0; n < 10; n++) rig.add(fat, "camera", 2_000);
    rig.queue.evict(1);
    rig.queue.evict(1);
    expect(rig.dropped).toEqual(oldest);
    for (let n = 0; n < 10; n++) rig.queue.evict(1);
    expect(rig.dropped).not.toContain(small);
    rig.take(Number.POSITIVE_INFINITY);
    expect(rig.sent).toEqual(expect.arrayContaining([kept, small]));
    expect(rig.sent.filter((name) => name.startsWith("1 safe"))).toHaveLength(50);
  });
});
