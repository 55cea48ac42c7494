import { expect, test } from "vitest";
import { Deliveries } from "../../../../src/features/notifications/manager/deliveries/deliveries.ts";
import type { Outcome } from "../../../../src/features/notifications/manager/deliveries/outcome.ts";
import type { Delivery } from "../../../../src/features/notifications/notification.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { EXAMPLE } from "../example-notification.ts";

const SENT: Outcome = { kind: "sent", text: "ok" };
const AGAIN: Outcome = { kind: "again", text: "no" };
const WAY = [{ name: "team", kind: "webhook" }];

class Rig {
  readonly clock = new SimulatedClock();
  /** The events, in order. */
  readonly events: string[] = [];
  readonly warnings: string[] = [];
  outcome: (key: string) => Outcome | Promise<Outcome> = () => SENT;
  saved: { waiting: readonly Delivery[]; history: readonly Delivery[] } = { waiting: [], history: [] };
  readonly deliveries: Deliveries;

  constructor(kept?: Rig["saved"]) {
    this.deliveries = new Deliveries({
      clock: this.clock,
      send: async (way, { key }) => {
        this.events.push(`${this.clock.monotonic() / 1_000} s: ${key} on ${way}`);
        return this.outcome(key);
      },
      save: async () => {
        await Promise.resolve();
        const { waiting, history } = this.deliveries;
        this.saved = { waiting: [...waiting], history: [...history] };
        this.events.push(`saved ${waiting.length} waiting, ${history.length} done`);
      },
      changed: () => undefined,
      warn: (msg) => this.warnings.push(msg),
    });
    if (kept !== undefined) this.deliveries.restore(kept.waiting, kept.history);
  }

  add(key: string, time = "2026-01-01T00:00:00.000"): void {
    this.deliveries.add({ ...EXAMPLE, key, time }, WAY);
    this.deliveries.start();
  }
}

test("a delivery is saved before its first attempt, and after it", async () => {
  const rig = new Rig();
  rig.add("a");
  await rig.clock.settle();
  expect(rig.events).toEqual(["saved 1 waiting, 0 done", "0 s: a on team", "saved 0 waiting, 1 done"]);
  expect(rig.deliveries.history).toMatchObject([{ state: "sent", attempts: 1, result: "ok", way: "team" }]);
});

test("a failed delivery is tried again with growing pauses, while others are sent; it is given up after a day", async () => {
  const rig = new Rig();
  rig.outcome = (key) => (key === "a" ? AGAIN : SENT);
  rig.add("a");
  await rig.clock.settle();
  rig.add("b");
  await rig.clock.advance(60_000);
  expect(rig.events.filter((text) => text.includes(" on "))).toEqual([
    "0 s: a on team",
    "0 s: b on team",
    "5 s: a on team",
    "15 s: a on team",
    "35 s: a on team",
  ]);
  expect(rig.warnings).toEqual(["a notification could not be sent on 'team', it is tried again: no"]);
  await rig.clock.advance(25 * 3_600_000);
  expect(rig.deliveries.waiting).toEqual([]);
  expect(rig.deliveries.history).toMatchObject([{ notification: { key: "a" }, state: "failed" }, { notification: { key: "b" } }]);
  const count = rig.events.length;
  await rig.clock.advance(3_600_000);
  expect(rig.events.length).toBe(count);
});

test("a receiver decides how long it is left alone, and a refusal is final", async () => {
  const rig = new Rig();
  rig.outcome = () => ({ ...AGAIN, afterMs: 100_000 });
  rig.add("a");
  await rig.clock.advance(99_000);
  rig.outcome = () => ({ kind: "refused", text: "gone" });
  await rig.clock.advance(2_000);
  expect(rig.events.filter((text) => text.includes(" on "))).toEqual(["0 s: a on team", "100 s: a on team"]);
  expect(rig.deliveries.history).toMatchObject([{ state: "failed", attempts: 2, result: "gone" }]);
});

test("the next manager repeats an attempt without a recorded result, with the same key, and no other", async () => {
  const rig = new Rig();
  rig.outcome = (key) => (key === "b" ? new Promise<Outcome>(() => undefined) : SENT);
  rig.add("a");
  await rig.clock.settle();
  rig.add("b");
  await rig.clock.settle();
  // The manager is killed during the attempt.
  rig.deliveries.close();
  const next = new Rig(JSON.parse(JSON.stringify(rig.saved)));
  next.deliveries.start();
  await next.clock.settle();
  expect(next.events.filter((text) => text.includes(" on "))).toEqual(["0 s: b on team"]);
  expect(next.deliveries.history.map(({ notification }) => notification.key)).toEqual(["b", "a"]);
  next.deliveries.close();
});

test("an attempt that the end of the manager aborts stays waiting", async () => {
  const rig = new Rig();
  let finish = (_: Outcome) => {};
  rig.outcome = () => new Promise<Outcome>((resolve) => (finish = resolve));
  rig.add("a");
  await rig.clock.settle();
  rig.deliveries.close();
  finish(AGAIN);
  await rig.clock.settle();
  expect(rig.deliveries.waiting).toMatchObject([{ state: "waiting", attempts: 0 }]);
});

test("of too many deliveries on one way the oldest is given up, and it is said", async () => {
  const rig = new Rig();
  rig.outcome = () => AGAIN;
  for (let at = 0; at < 203; at++) rig.deliveries.add({ ...EXAMPLE, key: String(at) }, WAY);
  expect(rig.deliveries.waiting).toHaveLength(200);
  expect(rig.deliveries.history.map(({ notification, result }) => [notification.key, result])).toEqual([
    ["2", "given up: too many waited"],
    ["1", "given up: too many waited"],
    ["0", "given up: too many waited"],
  ]);
  expect(rig.warnings).toHaveLength(3);
});
