import { setFlagsFromString } from "node:v8";
import { runInThisContext } from "node:vm";
import { expect, it } from "vitest";
import { report } from "../support/run-reports.ts";
import { ProcessRig } from "./support/process.ts";

// An object with more than 16 properties that V8 keeps as a hash table costs ten times the time and memory, in each step of each process.
it("V8 keeps the context of a process as an object with a fixed shape, from its first step to the end of its run", () => {
  setFlagsFromString("--allow-natives-syntax");
  const isFast: (value: object) => boolean = runInThisContext("(value) => %HasFastProperties(value)");
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
