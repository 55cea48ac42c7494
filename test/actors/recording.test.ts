import { expect, it } from "vitest";
import { createActor, fromPromise } from "xstate";
import { recordingMachine, type StartedRecording } from "../../src/actors/recording-machine.ts";
import { MgrError } from "../../src/base/errors.ts";

const SPEC: StartedRecording = { name: "main" };

type Effect = { resolve: () => void; reject: (error: unknown) => void };

/** An actor whose effects are ended by the test. */
function actorOf() {
  const effects: { start: Effect[]; stop: Effect[] } = { start: [], stop: [] };
  const specs: (StartedRecording | null)[] = [];
  const held = (list: Effect[]) => new Promise<void>((resolve, reject) => list.push({ resolve, reject }));
  const actor = createActor(
    recordingMachine.provide({
      actors: {
        start: fromPromise(({ input }) => {
          specs.push(input.spec);
          return held(effects.start);
        }),
        stop: fromPromise(() => held(effects.stop)),
      },
    }),
    { input: { name: "trial" } },
  ).start();
  const state = () => actor.getSnapshot().value;
  return { actor, effects, specs, state, problem: () => actor.getSnapshot().context.problem };
}

const reported = (isRecording: boolean, problem: string | null = null) => ({ type: "reported", isRecording, problem }) as const;
const start = { type: "start", spec: SPEC } as const;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

it("a recording starts, records and stops", async () => {
  const { actor, effects, specs, state } = actorOf();
  expect(state()).toBe("idle");
  actor.send(start);
  expect([state(), specs]).toEqual(["starting", [SPEC]]);
  effects.start[0]?.resolve();
  await settled();
  expect(state()).toBe("recording");
  actor.send({ type: "stop" });
  expect(state()).toBe("stopping");
  effects.stop[0]?.resolve();
  await settled();
  expect(state()).toBe("idle");
});

it("a recording that no host starts is an error with the reason, until the next start", async () => {
  const { actor, effects, state, problem } = actorOf();
  actor.send(start);
  effects.start[0]?.reject(new MgrError("conflict", "the disk is full"));
  await settled();
  expect([state(), problem()]).toEqual(["error", "the disk is full"]);
  actor.send(start);
  expect([state(), problem()]).toEqual(["starting", null]);
});

it("a recording that a host continued is adopted by the next manager", () => {
  const { actor, state } = actorOf();
  actor.send(reported(true));
  expect(state()).toBe("recording");
  actor.send(reported(false));
  expect(state()).toBe("idle");
});

it("a recording that its host ends is an error; while another host records, it continues and reports the problem", () => {
  const { actor, state, problem } = actorOf();
  actor.send(reported(true));
  actor.send(reported(true, "the disk of rt1 is full"));
  expect([state(), problem()]).toEqual(["recording", "the disk of rt1 is full"]);
  actor.send(reported(false, "the disk is full"));
  expect([state(), problem()]).toEqual(["error", "the disk is full"]);
  actor.send(reported(true));
  expect([state(), problem()]).toEqual(["recording", null]);
});

it("a stop during a start ends the recording on the hosts that began it", async () => {
  const { actor, effects, state } = actorOf();
  actor.send(start);
  actor.send({ type: "stop" });
  expect(state()).toBe("stopping");
  effects.stop[0]?.reject(new MgrError("host_unavailable", "rt1 cannot be reached"));
  await settled();
  expect(state()).toBe("error");
});
