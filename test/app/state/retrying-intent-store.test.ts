import { expect, test } from "vitest";
import { memoryIntents } from "../../../src/app/state/intent-keeper.ts";
import { RetryingIntentStore } from "../../../src/app/state/retrying-intent-store.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import { testClock } from "../../actors/support/clock.ts";
import { settled } from "../support/scripted-link.ts";

function rig(flush: () => Promise<void>) {
  const clock = testClock();
  const log = new LogBook({ capacity: 100, now: () => clock.now() });
  const intents = new RetryingIntentStore({ ...memoryIntents(), flush }, { clock, log });
  return { clock, intents, said: () => log.entries().map(({ level, msg }) => `${level}: ${msg}`) };
}

test("a blocked disk is waited for and reported once; later requests do not wait until it works again", async () => {
  let answer = () => {};
  const stands = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { clock, intents, said } = rig(() => stands);
  const done: string[] = [];
  void intents.flush().then(() => done.push("first"));
  clock.advance(1_900);
  await settled();
  expect(done).toEqual([]);
  clock.advance(200);
  await settled();
  expect(done).toEqual(["first"]);
  await intents.flush();
  const complaint =
    "error: requests could not be written to the disk for 2 s; it is done nevertheless, but a crash would forget it until the disk works again";
  expect(said()).toEqual([complaint]);
  answer();
  await settled();
  expect(said()).toEqual([complaint, "info: requests are saved again"]);
});

test("a full disk is reported once and retried until there is room", async () => {
  let tries = 0;
  const { clock, intents, said } = rig(async () => {
    tries += 1;
    if (tries < 4) throw new Error("ENOSPC");
  });
  await intents.flush();
  await intents.flush();
  expect(tries).toBe(2);
  for (let n = 0; n < 5; n++) {
    clock.advance(10_000);
    await settled();
  }
  expect(tries).toBe(4);
  expect(said()).toEqual([
    "error: ENOSPC; it is done nevertheless, but a crash would forget it until the disk works again",
    "info: requests are saved again",
  ]);
});

test("a closed store does not retry", async () => {
  let tries = 0;
  const { clock, intents } = rig(async () => {
    tries += 1;
    throw new Error("ENOSPC");
  });
  await intents.flush();
  intents.close();
  clock.advance(60_000);
  await intents.flush();
  clock.advance(60_000);
  await settled();
  expect(tries).toBe(2);
});
