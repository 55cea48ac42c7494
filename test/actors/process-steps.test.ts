import { expect, test } from "vitest";
import { type AnyActorRef, createActor, fromCallback } from "xstate";
import { processMachine } from "../../src/actors/process/process-machine.ts";
import type { ProcessEvent, WatchInput } from "../../src/actors/process/process-types.ts";
import type { ProcessState } from "../../src/protocol/resources/resources.ts";
import { report } from "../support/fakes/run-reports.ts";
import { testClock } from "./support/clock.ts";
import { definition } from "./support/process.ts";

function counted(requested: "start" | "stop") {
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
    input: { definition: definition(), requested, clock, nextRunId: () => "1-1", lastRunId: () => "1-0" },
    inspect: (event) => {
      if (event.type === "@xstate.microstep" && event.actorRef === process) steps += 1;
    },
  });
  process = actor;
  actor.start();
  /** The state after an event, and the steps that it took. */
  const send = (event: ProcessEvent): [ProcessState, number] => {
    steps = 0;
    actor.send(event);
    return [actor.getSnapshot().context.shown, steps];
  };
  return { send, [Symbol.dispose]: () => void actor.stop() };
}

const ENDED = { exit: { code: null, signal: "SIGTERM", reason: null } };

// Each step costs with thousands of processes (bench/NOTES.md, "Start of 1,000 processes").
test("a start takes one step to `starting` and one to `started`, and a stop one for each of its events", () => {
  using process = counted("stop");
  process.send({ type: "report", run: null });
  expect(process.send({ type: "start", by: "ann" })).toEqual(["starting", 1]);
  expect(process.send({ type: "run.spawned", run: report("1-1") })).toEqual(["started", 1]);
  expect(process.send({ type: "stop", by: "ann" })).toEqual(["stopping", 1]);
  expect(process.send({ type: "run.exited", run: report("1-1", ENDED) })).toEqual(["stopping", 1]);
  expect(process.send({ type: "run.extinct", run: report("1-1", { ...ENDED, extinct: true }) })).toEqual(["stopped", 1]);
});

test("a start that was requested before the host's first report takes one step with it", () => {
  using process = counted("start");
  expect(process.send({ type: "report", run: null })).toEqual(["starting", 1]);
});
