import { expect, it } from "vitest";
import { Task } from "../../src/base/task.ts";

it("aborts the signal of those that wait when it ends", () => {
  const task = new Task();
  const { signal } = task;
  task.throwIfEnded();
  expect([task.isEnded, signal.aborted]).toEqual([false, false]);
  task.end();
  expect([task.isEnded, signal.aborted]).toEqual([true, true]);
  expect(() => task.throwIfEnded()).toThrow("no longer wanted");
});

it("has an aborted signal also for those that ask after its end", () => {
  const task = new Task();
  task.end();
  expect(task.signal.aborted).toBe(true);
  expect(task.signal).toBe(task.signal);
});
