import { expect, it } from "vitest";
import { Task } from "../../src/base/task.ts";

it("a task aborts its signal when it ends", () => {
  const task = new Task();
  const { signal } = task;
  task.throwIfEnded();
  expect([task.isEnded, signal.aborted]).toEqual([false, false]);
  task.end();
  expect([task.isEnded, signal.aborted]).toEqual([true, true]);
  expect(() => task.throwIfEnded()).toThrow("no longer wanted");
});

it("a task has an aborted signal also for requests after its end", () => {
  const task = new Task();
  task.end();
  expect(task.signal.aborted).toBe(true);
  expect(task.signal).toBe(task.signal);
});
