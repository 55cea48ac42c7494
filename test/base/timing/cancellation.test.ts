import { expect, it } from "vitest";
import { CancellationSource } from "../../../src/base/timing/cancellation.ts";

it("a task aborts its signal when it ends", () => {
  const cancellation = new CancellationSource();
  const { signal } = cancellation;
  cancellation.throwIfCancelled();
  expect([cancellation.isCancelled, signal.aborted]).toEqual([false, false]);
  cancellation.cancel();
  expect([cancellation.isCancelled, signal.aborted]).toEqual([true, true]);
  expect(() => cancellation.throwIfCancelled()).toThrow("no longer wanted");
});

it("a task has an aborted signal also for requests after its end", () => {
  const cancellation = new CancellationSource();
  cancellation.cancel();
  expect(cancellation.signal.aborted).toBe(true);
  expect(cancellation.signal).toBe(cancellation.signal);
});

it("the error of a cancellation has no stack, which would keep the code of the whole program in memory", () => {
  const cancellation = new CancellationSource();
  cancellation.cancel();
  expect((cancellation.signal.reason as Error).stack).toBe("Error: it is no longer wanted");
});
