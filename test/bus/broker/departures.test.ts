import { expect, it } from "vitest";
import { ClientSubscription, type Subscriber } from "../../../src/bus/broker/broker-subscriber.ts";
import { BrokerTurns } from "../../../src/bus/broker/broker-turns.ts";
import { Departures } from "../../../src/bus/broker/departures.ts";

function subscriptions(count: number, queue: string | null = null): ClientSubscription[] {
  const client = { link: null } as Subscriber;
  return Array.from(
    { length: count },
    (_, n) => new ClientSubscription(client, { subject: `a.${n}`, queue, sid: `${n}`, isFiltered: false }),
  );
}

it("few subscriptions are removed at once", () => {
  const removed: ClientSubscription[] = [];
  new Departures(new BrokerTurns()).begin(subscriptions(500), (one) => removed.push(one));
  expect(removed).toHaveLength(500);
});

it("many subscriptions end at once and are removed in later turns, members of queue groups first", async () => {
  const [plain, members] = [subscriptions(200_000), subscriptions(100, "q")];
  const removed: ClientSubscription[] = [];
  await new Promise<void>((resolve) => {
    new Departures(new BrokerTurns()).begin([...plain, ...members], (one) => {
      if (removed.push(one) === plain.length + members.length) resolve();
    });
    expect([...plain, ...members].every(({ isEnded }) => isEnded)).toBe(true);
    expect(removed.slice(0, members.length)).toEqual(members);
    expect(removed.length).toBeLessThan(plain.length);
  });
  expect(new Set(removed).size).toBe(removed.length);
});

it("the rest is removed when the broker is closed, and nothing after that", async () => {
  const departures = new Departures(new BrokerTurns());
  let removed = 0;
  departures.begin(subscriptions(200_000), () => removed++);
  departures.close();
  expect(removed).toBe(200_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(removed).toBe(200_000);
});
