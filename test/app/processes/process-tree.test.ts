import { describe, expect, test } from "vitest";
import { ProcessTree } from "../../../src/app/processes/process-tree.ts";
import type { ProcessDefinition } from "../../../src/config/definition.ts";
import type { ProcessState } from "../../../src/protocol/resources/resources.ts";
import { definition } from "../../actors/support/process.ts";

const config = (processes: string[], groups: Record<string, boolean> = {}) => ({
  processes: new Map<string, ProcessDefinition>(processes.map((name) => [name, definition({ name })])),
  groups: new Map(Object.entries(groups).map(([name, opened]) => [name, { opened }])),
});
const all = config(["db", "sim/world", "web", "sim/arm/left", "sim/arm/right"], { sim: true, "sim/arm": false, empty: true });
const states: Record<string, ProcessState> = { "sim/world": "ready", "sim/arm/left": "backoff", "sim/arm/right": "started" };
const stateOf = (name: string): ProcessState => states[name] ?? "stopped";

describe("the process tree", () => {
  test("is in the order of first appearance, groups with the worst state of all levels below", () => {
    expect(new ProcessTree(all, stateOf).nodes()).toEqual([
      { type: "process", name: "db" },
      {
        type: "group",
        name: "sim",
        display_name: "sim",
        opened: true,
        state: "backoff",
        children: [
          { type: "process", name: "sim/world" },
          {
            type: "group",
            name: "sim/arm",
            display_name: "arm",
            opened: false,
            state: "backoff",
            children: [
              { type: "process", name: "sim/arm/left" },
              { type: "process", name: "sim/arm/right" },
            ],
          },
        ],
      },
      { type: "process", name: "web" },
      { type: "group", name: "empty", display_name: "empty", opened: true, state: "stopped", children: [] },
    ]);
  });

  test("of one group is that node alone, also of an empty one", () => {
    const tree = new ProcessTree(all, stateOf);
    const [node, ...others] = tree.part("sim/arm");
    expect(node).toMatchObject({ type: "group", name: "sim/arm", display_name: "arm", state: "backoff" });
    expect(others).toEqual([]);
    expect(tree.part("empty")).toMatchObject([{ name: "empty", children: [] }]);
  });

  test("of one process is that node alone", () => {
    expect(new ProcessTree(all, stateOf).part("sim/world")).toEqual([{ type: "process", name: "sim/world" }]);
  });

  test("of an unknown name is empty", () => {
    expect(new ProcessTree(all, stateOf).part("sim/wor")).toEqual([]);
  });

  test("takes names of object properties such as __proto__", () => {
    const odd = config(["__proto__/constructor", "toString"]);
    expect(new ProcessTree(odd, () => "started").nodes()).toEqual([
      {
        type: "group",
        name: "__proto__",
        display_name: "__proto__",
        opened: false,
        state: "started",
        children: [{ type: "process", name: "__proto__/constructor" }],
      },
      { type: "process", name: "toString" },
    ]);
  });

  test("of 10,000 processes in 700 groups", () => {
    const many = config(Array.from({ length: 10_000 }, (_, index) => `g${index % 100}/h${index % 7}/p${index}`));
    expect(new ProcessTree(many, stateOf).nodes()).toHaveLength(100);
  });

  test("after changes is the tree that a new one would be, whatever was read between them", () => {
    const names = ["a", "g/p1", "g/p2", "g/h/p3", "g/h/p4", "g/h/i/p5", "k/p6"];
    const many = config(names, { "g/empty": false });
    const now = new Map<string, ProcessState>();
    const current = (name: string): ProcessState => now.get(name) ?? "stopped";
    const tree = new ProcessTree(many, current);
    const order: ProcessState[] = ["error", "started", "stopped", "ready", "backoff", "starting", "stopping"];
    for (let step = 0; step < 200; step++) {
      const name = names[(step * 5) % names.length] ?? "a";
      const state = order[(step * 3) % order.length] ?? "stopped";
      tree.changed(name, current(name), state);
      now.set(name, state);
      // A part that was read leaves the groups above it as they are.
      if (step % 3 === 0) expect(tree.part("g/h")).toEqual(new ProcessTree(many, current).part("g/h"));
      if (step % 2 === 0) expect(tree.nodes()).toEqual(new ProcessTree(many, current).nodes());
    }
  });

  test("keeps the nodes of groups that have not changed, and the members of one whose state has", () => {
    const tree = new ProcessTree(config(["a/p", "b/q"]), () => "stopped");
    const [a, b] = tree.nodes();
    tree.changed("a/p", "stopped", "started");
    const [changed, same] = tree.nodes();
    expect(same).toBe(b);
    expect(changed).toMatchObject({ name: "a", state: "started" });
    expect(a).toMatchObject({ name: "a", state: "stopped" });
    expect(changed && "children" in changed && a && "children" in a && changed.children === a.children).toBe(true);
  });

  test("ignores a process that is not in its configuration", () => {
    const tree = new ProcessTree(config(["a/p"]), () => "stopped");
    tree.changed("a/other", "stopped", "error");
    expect(tree.nodes()).toMatchObject([{ name: "a", state: "stopped" }]);
  });
});
