import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { createActor, toPromise } from "xstate";
import { fromTask } from "../../../src/app/effects/task.ts";

/** A task whose promise and signal the test holds, and the life that it belongs to. */
function start() {
  const life = new AbortController();
  let resolve: (word: string) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<string>((...ends) => {
    [resolve, reject] = ends;
  });
  const held = { promise, resolve, reject };
  const signals: AbortSignal[] = [];
  const logic = fromTask<string, { word: string }>(
    () => life.signal,
    async ({ word }, signal) => {
      signals.push(signal);
      return word + (await held.promise);
    },
  );
  const actor = createActor(logic, { input: { word: "hello " } });
  actor.subscribe({ error: () => {} });
  actor.start();
  const [signal] = signals;
  if (signal === undefined) throw new Error("the task did not begin");
  return { life, held, actor, signal };
}

it("has the output of its promise", async () => {
  const { life, held, actor, signal } = start();
  const output = toPromise(actor);
  held.resolve("world");
  expect(await output).toBe("hello world");
  expect(signal.aborted).toBe(false);
  expect(getEventListeners(life.signal, "abort")).toEqual([]);
});

it("fails as its promise does", async () => {
  const { life, held, actor } = start();
  const output = toPromise(actor);
  held.reject(new Error("refused"));
  await expect(output).rejects.toThrow("refused");
  expect(getEventListeners(life.signal, "abort")).toEqual([]);
});

it("is aborted when its actor stops, and nothing comes of it any more", async () => {
  const { life, held, actor, signal } = start();
  actor.stop();
  expect(signal.aborted).toBe(true);
  held.resolve("world");
  await held.promise;
  expect(actor.getSnapshot()).toMatchObject({ status: "stopped", output: undefined });
  await expect.poll(() => getEventListeners(life.signal, "abort")).toEqual([]);
});

it("is aborted when its life ends, with the reason of that", () => {
  const { life, actor, signal } = start();
  life.abort(new Error("replaced"));
  expect(signal.reason).toEqual(new Error("replaced"));
  actor.stop();
});

it("is aborted from its first turn on if its life is over", () => {
  const logic = fromTask<boolean, null>(
    () => AbortSignal.abort(),
    async (_, signal) => signal.aborted,
  );
  const actor = createActor(logic, { input: null });
  const output = toPromise(actor);
  actor.start();
  return expect(output).resolves.toBe(true);
});
