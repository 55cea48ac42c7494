import { setFlagsFromString } from "node:v8";
import { describe, expect, it } from "vitest";
import type { ProcessContext } from "../../src/actors/process/process-types.ts";
import { RunHistory } from "../../src/app/state/run-history.ts";
import { loadConfigObject } from "../../src/config/load/load.ts";
import { report } from "../support/fakes/run-reports.ts";
import { shapes } from "../support/shapes.ts";
import { definition, ProcessRig } from "./support/process.ts";

const { isFast, isSame } = shapes();
// V8 learns from a function's first call, as it does in a manager that runs from its code cache; otherwise the first few calls take other ways.
setFlagsFromString("--no-lazy-feedback-allocation");
/** The first few objects of a literal share their hidden class in any case. */
const MANY = 100;
const names = Array.from({ length: MANY }, (_, index) => `p${index}`);

// An object with more than 16 properties that V8 keeps as a hash table costs ten times the time and memory, in each step of each process.
it("the context of a process keeps one V8 shape, from its first step to the end of its run", () => {
  const rig = new ProcessRig();
  const steps = [
    { type: "report", run: null },
    { type: "start", by: "me" },
    { type: "run.spawned", run: report("1-1") },
    { type: "run.ready", run: report("1-1", { ready: true }) },
    { type: "stop", by: "me" },
    { type: "run.exited", run: report("1-1", { exit: { code: 0, signal: null, reason: null } }) },
    { type: "run.extinct", run: report("1-1", { exit: { code: 0, signal: null, reason: null }, extinct: true }) },
  ] as const;
  expect(isFast(rig.context)).toBe(true);
  for (const step of steps) {
    rig.actor.send(step);
    expect(isFast(rig.context), step.type).toBe(true);
  }
  expect(rig.path).toEqual(["starting", "started", "stopping", "stopped"]);
});

it("the context of a process has every field from the start", () => {
  const fields: Record<keyof ProcessContext, true> = {
    clock: true,
    nextRunId: true,
    lastRunId: true,
    definition: true,
    runDefinition: true,
    runSettings: true,
    requested: true,
    origin: true,
    isIntentLost: true,
    shown: true,
    isNew: true,
    isAdopting: true,
    runId: true,
    run: true,
    runGone: true,
    host: true,
    runBegan: true,
    runEnded: true,
    exit: true,
    lastRunSucceeded: true,
    size: true,
    settings: true,
    isFrozen: true,
    daemonDied: true,
    waitingFor: true,
    restarts: true,
    attempt: true,
    failures: true,
    unstable: true,
    restartTimes: true,
    nextStart: true,
    pendingRun: true,
    stopCause: true,
    reason: true,
  };
  expect(Object.keys(new ProcessRig().context)).toEqual(Object.keys(fields));
});

describe("the objects of each process have the same V8 shape", () => {
  it("in its definition", () => {
    const processes = Object.fromEntries(names.map((name) => [name, { command: name }]));
    const [first, ...others] = loadConfigObject({ processes }, { base_dir: "/work", state_dir: "/tmp/s" }).processes.values();
    if (first === undefined) throw new Error("no process");
    expect(others.filter((other) => !isSame(first, other))).toEqual([]);
  });

  it("in its context, its exit and the records of its runs", () => {
    const history = new RunHistory();
    const all = names.map((name) => {
      const rig = new ProcessRig({ definition: definition({ name }) });
      rig.send({ type: "report", run: null }).start().spawned().died(1);
      history.note(name, rig.context, "stream");
      const [past] = history.of(name);
      if (rig.context.exit === null || past === undefined) throw new Error("it did not end");
      return { context: rig.context, exit: rig.context.exit, past };
    });
    const [first, ...others] = all;
    if (first === undefined) throw new Error("no process");
    for (const part of ["context", "exit", "past"] as const)
      expect(others.filter((other) => !isSame(first[part], other[part])).length, part).toBe(0);
  });
});
