import { describe, expect, it } from "vitest";
import { type DependencyFacts, DependencyGraph, unmetDependencies } from "../../../src/app/processes/dependencies.ts";
import type { Config, Dependency } from "../../../src/config/definition.ts";
import type { ProcessState } from "../../../src/protocol/resources/resources.ts";
import { definition } from "../../actors/support/process.ts";

const STATES: ProcessState[] = ["stopped", "waiting", "starting", "started", "ready", "stopping", "backoff", "error"];

function needs(condition: Dependency["condition"], on_stop: Dependency["on_stop"] = "stop", name = "db"): Dependency {
  return { name, condition, on_stop };
}

function facts(state: ProcessState, more: Partial<DependencyFacts> = {}): DependencyFacts {
  return { state, unknown: false, requested: "start", hasReadyState: false, lastRunSucceeded: null, ...more };
}

function unmet(dependency: Dependency, fact: DependencyFacts | undefined) {
  return unmetDependencies(definition({ depends_on: [dependency] }), () => fact);
}

describe("a dependency that has to be", () => {
  it.each([
    ["started", false, ["started", "ready"]],
    ["started", true, ["started", "ready"]],
    ["ready", false, ["started", "ready"]],
    ["ready", true, ["ready"]],
    ["completed", false, []],
  ] as const)("%s (ready state: %s) holds in %j", (condition, hasReadyState, holding) => {
    const found = STATES.filter((state) => unmet(needs(condition), facts(state, { hasReadyState })).missing.length === 0);
    expect(found).toEqual(holding);
  });

  it("completed is true once its last run ended in success and no newer one began", () => {
    const done = { lastRunSucceeded: true };
    const found = STATES.filter((state) => unmet(needs("completed"), facts(state, done)).missing.length === 0);
    expect(found).toEqual(["stopped", "backoff"]);
    expect(unmet(needs("completed"), facts("stopped", { ...done, requested: "stop" }))).toEqual({ missing: [], impossible: null });
    expect(unmet(needs("completed"), facts("stopped", { lastRunSucceeded: false })).missing).toEqual(["db"]);
  });
});

describe("a dependency can no longer be met when it", () => {
  it.each(["started", "ready", "completed"] as const)("failed (%s)", (condition) => {
    expect(unmet(needs(condition), facts("error"))).toEqual({ missing: ["db"], impossible: "dependency 'db' failed" });
  });

  it.each(["started", "ready", "completed"] as const)("was stopped by request (%s)", (condition) => {
    expect(unmet(needs(condition), facts("stopped", { requested: "stop" })).impossible).toBe("dependency 'db' was stopped");
  });

  it("has ended although it has to run", () => {
    expect(unmet(needs("ready"), facts("stopped", { lastRunSucceeded: true })).impossible).toBe(
      "dependency 'db' has ended, but must be running",
    );
  });

  it("does not exist", () => {
    expect(unmet(needs("ready"), undefined)).toEqual({ missing: ["db"], impossible: "dependency 'db' does not exist any more" });
  });
});

it("a dependency that is on its way, or of which nothing is known, is waited for", () => {
  for (const state of STATES.filter((each) => each !== "error" && each !== "stopped")) {
    expect(unmet(needs("completed"), facts(state)).impossible).toBeNull();
  }
  expect(unmet(needs("ready"), facts("error", { unknown: true })).impossible).toBeNull();
  expect(unmet(needs("ready"), facts("stopped", { unknown: true, requested: "stop" })).impossible).toBeNull();
  expect(unmet(needs("completed"), facts("stopped", { unknown: true, lastRunSucceeded: true })).missing).toEqual(["db"]);
});

it("all missing dependencies are named, and the first reason why they cannot be met", () => {
  const depends_on = [needs("ready", "stop", "a"), needs("ready", "stop", "b"), needs("ready", "stop", "c")];
  const states: Record<string, ProcessState> = { a: "starting", b: "error", c: "error" };
  expect(unmetDependencies(definition({ depends_on }), (name) => facts(states[name] ?? "ready"))).toEqual({
    missing: ["a", "b", "c"],
    impossible: "dependency 'b' failed",
  });
});

function graph(edges: Record<string, (string | Dependency)[]>, hostOf: (name: string) => string | null = () => null): DependencyGraph {
  const processes = new Map(
    Object.entries(edges).map(([name, depends]) => [
      name,
      definition({
        name,
        host: hostOf(name),
        stop: [{ signal: "SIGTERM", timeout_ms: 1_000 }],
        depends_on: depends.map((each) => (typeof each === "string" ? needs("ready", "stop", each) : each)),
      }),
    ]),
  );
  const config = { processes } as unknown as Config;
  return new DependencyGraph(() => config);
}

describe("the graph of dependencies", () => {
  const diamond = { ui: ["left", "right"], left: ["db"], right: ["db"], db: [], other: [] };

  it("puts each after everything that it needs, else as given", () => {
    expect(graph(diamond).inStartOrder(["ui", "other", "right", "left", "db"])).toEqual(["other", "db", "right", "left", "ui"]);
  });

  it("puts eight of one host side by side, but none before its dependencies", () => {
    const many = Array.from({ length: 20 }, (_, index) => [`a${index}`, `b${index}`]).flat();
    const given = ["a-last", ...many];
    const edges = Object.fromEntries(given.map((name) => [name, name === "a-last" ? ["b19"] : []]));
    const order = graph(edges, (name) => name.slice(0, 1)).inStartOrder(given);
    const numbers = (name: string, from: number, to: number) => many.filter((each) => each[0] === name).slice(from, to);
    expect(order).toEqual([
      ...[...numbers("a", 0, 8), ...numbers("b", 0, 8)],
      ...[...numbers("a", 8, 16), ...numbers("b", 8, 16)],
      ...[...numbers("a", 16, 20), ...numbers("b", 16, 20)],
      "a-last",
    ]);
  });

  it("finds all dependents of some processes, once, the outermost first", () => {
    expect(graph(diamond).dependents(["db"])).toEqual(["ui", "right", "left"]);
    expect(graph(diamond).dependents(["left", "db"])).toEqual(["ui", "right"]);
    expect(graph(diamond).dependents(["ui"])).toEqual([]);
  });

  it("does not go beyond what keeps running", () => {
    const kept = graph({ a: ["b"], b: [needs("ready", "keep", "c")], c: [], d: [needs("ready", "restart", "c")] });
    expect(kept.dependents(["c"])).toEqual(["d"]);
    expect(kept.directDependents("c")).toEqual(["d"]);
  });

  it("computes how long the stops before a stop may take: one after the other, on the longest path", () => {
    // Each has a second, and ten to be seen through.
    expect(graph(diamond).stopTimeOfDependents("db")).toBe(22_000);
    expect(graph(diamond).stopTimeOfDependents("left")).toBe(11_000);
    expect(graph(diamond).stopTimeOfDependents("ui")).toBe(0);
  });

  it("follows a chain of 5,000, for which recursion would be too deep", () => {
    const chain = graph(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`p${n}`, n === 0 ? [] : [`p${n - 1}`]])));
    expect(chain.dependents(["p0"]).length).toBe(4_999);
    expect(chain.dependents(["p0"])[0]).toBe("p4999");
  });
});
