import { expect, it } from "vitest";
import { UpsertPublisher } from "../../../../src/features/recordings/manager/upsert-publisher.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

it("counters are sent at most twice a second, changes of state at once, unchanged values never", async () => {
  const clock = new SimulatedClock();
  const received: unknown[] = [];
  let object: { state: string; count: number } | null = { state: "idle", count: 0 };
  const publisher = new UpsertPublisher<{ state: string; count: number }>({
    clock,
    resource: () => object && { ...object },
    isUrgent: (before, after) => before.state !== after.state,
    upsert: ({ state, count }) => received.push(`${state} ${count}`),
    remove: (name) => received.push(`${name} is gone`),
  });
  const change = (state: string, count: number) => {
    object = { state, count };
    publisher.publish("arm");
  };
  change("idle", 0);
  change("idle", 0);
  for (let count = 1; count <= 50; count++) {
    change("on", count);
    await clock.advance(20);
  }
  expect(received).toEqual(["idle 0", "on 1", "on 25", "on 50"]);
  await clock.advance(500);
  expect(received).toHaveLength(4);
  change("off", 51);
  object = null;
  publisher.publish("arm");
  publisher.publish("arm");
  expect(received.slice(4)).toEqual(["off 51", "arm is gone"]);
  publisher.publishLater("arm");
  publisher.close();
  expect(clock.pending).toBe(0);
});

it("no event is sent before the answer of a pending command, not even a deferred one", async () => {
  const clock = new SimulatedClock();
  const received: string[] = [];
  let object: { state: string } | null = { state: "idle" };
  let isHeld = false;
  const publisher = new UpsertPublisher<{ state: string }>({
    clock,
    resource: () => object,
    isHeld: () => isHeld,
    isUrgent: () => true,
    upsert: ({ state }) => received.push(state),
    remove: (name) => received.push(`${name} is gone`),
  });
  publisher.publish("arm");
  publisher.publishLater("arm");
  isHeld = true;
  object = null;
  publisher.publish("arm");
  await clock.advance(5_000);
  expect(received).toEqual(["idle"]);
  isHeld = false;
  publisher.publish("arm");
  expect(received).toEqual(["idle", "arm is gone"]);
});
