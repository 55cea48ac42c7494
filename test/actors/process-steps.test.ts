import { expect, test } from "vitest";
import { type AnyActorRef, createActor, fromCallback } from "xstate";
import { processMachine } from "../../src/actors/process/process-machine.ts";
import type { ProcessEvent, WatchInput } from "../../src/actors/process/process-types.ts";
import { report } from "../support/fakes/run-reports.ts";
import { testClock } from "./support/clock.ts";
import { definition } from "./support/process.ts";

// Each step costs with thousands of processes (bench/NOTES.md, "Start of 1,000 processes").
test("a start takes one step to `starting` and one to `started`", () => {
  const clock = testClock();
  const machine = processMachine.provide({
    guards: { dependenciesHold: () => true },
    actors: {
      watchDependencies: fromCallback<ProcessEvent, WatchInput>(() => {}),
    },
  });
  let process: AnyActorRef | null = null;
  let steps = 0;
  const actor = createActor(machine, {
    clock,
    input: { definition: definition(), requested: "stop", hostReady: true, clock, nextRunId: () => "1-1", lastRunId: () => "1-0" },
    inspect: (event) => {
      if (event.type === "@xstate.microstep" && event.actorRef === process) steps += 1;
    },
  });
  process = actor;
  actor.start();
  actor.send({ type: "report", run: null });
  steps = 0;
  actor.send({ type: "start", by: "ann" });
  expect([actor.getSnapshot().context.shown, steps]).toEqual(["starting", 1]);
  actor.send({ type: "run.spawned", run: report("1-1") });
  expect([actor.getSnapshot().context.shown, steps]).toEqual(["started", 2]);
  actor.stop();
});
