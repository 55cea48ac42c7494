import { expect, test } from "vitest";
import type { HostContext, HostFeature } from "../../src/daemon/host-feature.ts";
import { HostFeatures } from "../../src/daemon/host-features.ts";
import type { Run } from "../../src/daemon/run/run.ts";

test("a feature that fails when it is told of a change harms neither the host nor the next feature, and is logged", () => {
  const logged: string[] = [];
  const told: string[] = [];
  const fails = () => {
    throw new Error("too many open files");
  };
  const defective: HostFeature<never, null> = {
    begin: () => ({
      service: null,
      handlers: {},
      runChanged: fails,
      startFailed: fails,
      runEnded: fails,
      output: fails,
      managerLost: fails,
    }),
  };
  const sound: HostFeature<never, null> = {
    begin: () => ({
      service: null,
      handlers: {},
      runChanged: (kind) => told.push(kind),
      startFailed: (_runId, _spec, reason) => told.push(reason),
      runEnded: (runId) => told.push(runId),
      output: (name) => told.push(name),
      managerLost: () => told.push("manager lost"),
    }),
  };
  const features = new HostFeatures({ log: (_level: string, msg: string) => logged.push(msg) } as unknown as HostContext, [
    defective,
    sound,
  ]);
  features.runChanged("spawned", {} as Run);
  features.startFailed("1-1", {} as never, "no such program");
  features.runEnded("1-2");
  features.output("sim/world", new Uint8Array());
  features.managerLost();
  expect(told).toEqual(["spawned", "no such program", "1-2", "sim/world", "manager lost"]);
  expect(logged).toEqual(["a feature failed when it was told of a change: too many open files (1 in all)"]);
});
