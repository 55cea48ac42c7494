import { expect, test } from "vitest";
import { toProcess } from "../../../src/actors/resources.ts";
import { ShownProcesses } from "../../../src/app/processes/shown-processes.ts";
import type { ProcessDefinition } from "../../../src/config/definition.ts";
import type { Process, ProcessState } from "../../../src/protocol/resources/resources.ts";
import { definition, stoppedProcess } from "../../actors/support/process.ts";

const config = (...names: string[]) => ({
  processes: new Map<string, ProcessDefinition>(names.map((name) => [name, definition({ name })])),
  groups: new Map<string, { opened: boolean }>(),
});
const { context } = stoppedProcess();
const surroundings = { host: "bench", hostReady: true, startTools: [], needsRestart: false, featureFields: () => ({}) };
const process = (name: string, state: ProcessState = "stopped"): Process => ({ ...toProcess(context, surroundings), name, state });

test("the list is in configuration order, whatever the order of the changes, and a list that was taken stays as it was", () => {
  const shown = new ShownProcesses(config("c", "a", "b"));
  for (const name of ["b", "a"]) shown.set(name, process(name), null);
  expect(shown.list().map(({ name }) => name)).toEqual(["a", "b"]);
  shown.set("c", process("c"), null);
  const before = shown.list();
  shown.set("a", process("a", "started"), null);
  expect(before.map(({ name, state }) => [name, state])).toEqual([
    ["c", "stopped"],
    ["a", "stopped"],
    ["b", "stopped"],
  ]);
  expect(shown.list().map(({ name, state }) => [name, state])).toEqual([
    ["c", "stopped"],
    ["a", "started"],
    ["b", "stopped"],
  ]);
});

test("a removed process is in no list, and one of a new configuration is in its place", () => {
  const shown = new ShownProcesses(config("g/a", "g/b"));
  for (const name of ["g/a", "g/b"]) shown.set(name, process(name, "error"), null);
  shown.list();
  shown.configure(config("g/b", "g/a", "g/c"));
  shown.set("g/c", process("g/c", "ready"), null);
  expect(shown.list().map(({ name }) => name)).toEqual(["g/b", "g/a", "g/c"]);
  shown.configure(config("g/c", "g/b"));
  shown.delete("g/a");
  // It is not in the list of the new configuration, and must not take the place of another one.
  shown.set("g/a", process("g/a", "error"), null);
  shown.set("g/b", process("g/b", "started"), null);
  expect(shown.list().map(({ name }) => name)).toEqual(["g/c", "g/b"]);
  expect(shown.tree.nodes()).toMatchObject([{ name: "g", state: "started" }]);
});

test("the tree follows the states, and a process without a resource counts as stopped", () => {
  const shown = new ShownProcesses(config("g/a", "g/b"));
  expect(shown.tree.nodes()).toMatchObject([{ state: "stopped" }]);
  shown.set("g/a", process("g/a", "ready"), null);
  expect(shown.tree.nodes()).toMatchObject([{ state: "ready" }]);
  shown.set("g/b", { ...process("g/b", "started"), restarting: true }, null);
  expect(shown.tree.nodes()).toMatchObject([{ state: "backoff" }]);
  shown.delete("g/b");
  expect(shown.tree.nodes()).toMatchObject([{ state: "ready" }]);
});
