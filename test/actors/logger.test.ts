import { expect, it } from "vitest";
import { createActor, fromPromise } from "xstate";
import { loggerMachine } from "../../src/actors/logger-machine.ts";
import { MgrError } from "../../src/base/errors.ts";

/** An actor whose hosts answer when the test says so. */
function actorOf() {
  const received: { isStarted: boolean; resolve: () => void; reject: (error: unknown) => void }[] = [];
  const tell = fromPromise<void, { name: string; isStarted: boolean }>(
    ({ input: { isStarted } }) => new Promise((resolve, reject) => void received.push({ isStarted, resolve, reject })),
  );
  const actor = createActor(loggerMachine.provide({ actors: { tell } }), { input: { name: "arm" } }).start();
  return {
    actor,
    state: () => actor.getSnapshot().value,
    problem: () => actor.getSnapshot().context.problem,
    received: () => received.map(({ isStarted }) => isStarted),
    /** The hosts answer the newest request. */
    answer: async (error?: unknown) => {
      if (error === undefined) received.at(-1)?.resolve();
      else received.at(-1)?.reject(error);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it("a logger is configured, started and stopped, and the hosts are informed each time", async () => {
  const { actor, state, received, answer } = actorOf();
  expect(state()).toBe("idle");
  actor.send({ type: "configure", isStarted: false });
  expect(state()).toBe("configuring");
  await answer();
  expect(state()).toBe("idle");
  actor.send({ type: "start" });
  expect(state()).toBe("configuring");
  await answer();
  expect(state()).toBe("recording");
  actor.send({ type: "start" });
  expect(state()).toBe("recording");
  actor.send({ type: "stop" });
  expect(state()).toBe("stopping");
  await answer();
  expect([state(), received()]).toEqual(["idle", [false, true, false]]);
});

it("a stop during a start, and a start during a stop, replace the command in progress", async () => {
  const { actor, state, received, answer } = actorOf();
  actor.send({ type: "start" });
  actor.send({ type: "stop" });
  expect(state()).toBe("stopping");
  actor.send({ type: "start" });
  expect([state(), received()]).toEqual(["configuring", [true, false, true]]);
  await answer();
  expect(state()).toBe("recording");
});

it("a logger of the configuration begins as configured", async () => {
  const { actor, state, answer } = actorOf();
  actor.send({ type: "configure", isStarted: true });
  await answer();
  expect(state()).toBe("recording");
});

it("a logger is collecting until the last download ends, then returns to its previous state", async () => {
  for (const isStarted of [true, false]) {
    const { actor, state, answer } = actorOf();
    actor.send({ type: "configure", isStarted });
    await answer();
    actor.send({ type: "collect" });
    actor.send({ type: "collect" });
    actor.send({ type: "collected" });
    expect(state()).toBe("collecting");
    actor.send({ type: "collected" });
    expect(state()).toBe(isStarted ? "recording" : "idle");
  }
});

it("a logger can be stopped and started while it is downloaded", async () => {
  const { actor, state, answer } = actorOf();
  actor.send({ type: "start" });
  await answer();
  actor.send({ type: "collect" });
  actor.send({ type: "stop" });
  expect(state()).toBe("stopping");
  await answer();
  expect(state()).toBe("collecting");
  actor.send({ type: "start" });
  await answer();
  expect(state()).toBe("collecting");
  actor.send({ type: "collected" });
  expect(state()).toBe("recording");
});

it("a download that begins or ends while hosts are informed does not disturb the command", async () => {
  const { actor, state, answer } = actorOf();
  actor.send({ type: "start" });
  actor.send({ type: "collect" });
  actor.send({ type: "collected" });
  expect(state()).toBe("configuring");
  await answer();
  expect(state()).toBe("recording");
});

it("a command that every host refuses is an error with the reason, until the next command", async () => {
  const { actor, state, problem, answer } = actorOf();
  actor.send({ type: "start" });
  await answer(new MgrError("conflict", "this host has 100 loggers"));
  expect([state(), problem()]).toEqual(["error", "this host has 100 loggers"]);
  actor.send({ type: "collect" });
  expect(state()).toBe("error");
  actor.send({ type: "stop" });
  expect([state(), problem()]).toEqual(["stopping", null]);
  await answer();
  expect(state()).toBe("collecting");
});
