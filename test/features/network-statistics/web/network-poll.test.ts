import { expect, test } from "vitest";
import { NetworkPoll, RETRY_MS } from "../../../../web/src/features/network-statistics/network-poll.ts";

/** A poll whose answers come and whose time passes when the test says so. */
function rig() {
  const asked: number[] = [];
  const received: string[] = [];
  const failed: unknown[] = [];
  const answers: { resolve: (answer: string) => void; reject: (error: unknown) => void }[] = [];
  const timers = new Map<object, { run: () => void; milliseconds: number }>();
  let time = 0;
  const poll = new NetworkPoll<string>({
    ask: (seconds) => {
      asked.push(seconds);
      return new Promise((resolve, reject) => answers.push({ resolve, reject }));
    },
    onAnswer: (answer) => received.push(answer),
    fail: (error) => failed.push(error),
    now: () => time,
    setTimeout: (run, milliseconds) => {
      const timer = {};
      timers.set(timer, { run, milliseconds });
      return timer;
    },
    clearTimeout: (timer) => timers.delete(timer as object),
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    ...{ poll, asked, received, failed, timers },
    answer: async (took: number, answer: string | Error = "answer") => {
      time += took;
      const one = answers.shift();
      if (typeof answer === "string") one?.resolve(answer);
      else one?.reject(answer);
      await settle();
    },
    /** Time-outs of what is due now, in the order they were set. */
    pass: async () => {
      const due = [...timers];
      for (const [timer, { run }] of due) {
        timers.delete(timer);
        run();
      }
      await settle();
      return due.map(([, { milliseconds }]) => milliseconds);
    },
  };
}

test("measurements follow each other, one at a time, and stop while nothing shows them", async () => {
  const { poll, asked, received, timers, answer, pass } = rig();
  poll.update(0);
  expect(asked).toEqual([]);
  poll.update(2);
  poll.update(2);
  expect(asked).toEqual([2]);
  await answer(2_100);
  expect(received).toEqual(["answer"]);
  expect(await pass()).toEqual([0]);
  expect(asked).toEqual([2, 2]);
  poll.update(0);
  await answer(2_000);
  // What was under way is told, and nothing follows.
  expect(received).toHaveLength(2);
  expect(timers.size).toBe(0);
});

test("a manager that answers at once is not asked more often", async () => {
  const { poll, asked, answer, pass } = rig();
  poll.update(5);
  await answer(400);
  expect(asked).toHaveLength(1);
  expect(await pass()).toEqual([4_600]);
  expect(asked).toHaveLength(2);
});

test("a pause ends the wait, and resuming requests at once", async () => {
  const { poll, asked, timers, answer } = rig();
  poll.update(5);
  await answer(0);
  poll.update(0);
  expect(timers.size).toBe(0);
  poll.update(1);
  expect(asked).toEqual([5, 1]);
});

test("an interval that is changed during a measurement counts for the next one", async () => {
  const { poll, asked, answer, pass } = rig();
  poll.update(5);
  poll.update(1);
  await answer(5_000);
  await pass();
  expect(asked).toEqual([5, 1]);
});

test("a failure is shown, and retried after a pause", async () => {
  const { poll, asked, failed, answer, pass } = rig();
  poll.update(1);
  await answer(10, new Error("busy"));
  expect(failed).toEqual([new Error("busy")]);
  expect(await pass()).toEqual([RETRY_MS]);
  expect(asked).toHaveLength(2);
});
