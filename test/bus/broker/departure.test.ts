import { expect, it } from "vitest";
import { ClientSubscription, type Subscriber } from "../../../src/bus/broker/broker-subscriber.ts";
import { BrokerTurns } from "../../../src/bus/broker/broker-turns.ts";
import { Departure } from "../../../src/bus/broker/departure.ts";

function leave(count: number) {
  const client = { link: null } as Subscriber;
  const held = new Map<string, ClientSubscription>();
  for (let n = 0; n < count; n++)
    held.set(`${n}`, new ClientSubscription(client, { subject: `a.${n}`, queue: null, sid: `${n}`, isFiltered: false }));
  const all = [...held.values()];
  const departure = new Departure(new BrokerTurns());
  const done = new Promise<void>((resolve) => departure.onDone(resolve));
  let isDone = false;
  departure.onDone(() => {
    isDone = true;
  });
  departure.begin(held, ({ sid }) => held.delete(sid));
  return { all, held, done, isDone: () => isDone };
}

it("removes few subscriptions at once", () => {
  const { held, isDone } = leave(500);
  expect([held.size, isDone()]).toEqual([0, true]);
});

it("ends many at once, and removes them in later turns, between which everything else runs", async () => {
  const { all, held, done, isDone } = leave(200_000);
  expect(all.every(({ isEnded }) => isEnded)).toBe(true);
  expect(held.size).toBeGreaterThan(0);
  expect(isDone()).toBe(false);
  await done;
  expect([held.size, isDone()]).toEqual([0, true]);
});
