import { describe, expect, it } from "vitest";
import { dotGraph, type GraphProcess, mermaidGraph, textGraph } from "../../../src/cli/commands/configuration/graph-text.ts";

const node = (name: string, needs: string[] = [], more: Partial<GraphProcess> = {}): GraphProcess => ({
  name,
  command: `run ${name}`,
  state: null,
  waiting_for: [],
  depends_on: needs.map((each) => ({ name: each, condition: "ready" })),
  ...more,
});

describe("the graph as text", () => {
  it("shows each process under what needs it, with its command, and unfolds it once", () => {
    const graph = textGraph([node("web", ["api", "cache"]), node("api", ["db"]), node("cache", ["api"]), node("db"), node("alone")]);
    expect(graph.split("\n")).toEqual([
      "web  run web",
      "├─ api  (ready)  run api",
      "│  └─ db  (ready)  run db",
      "└─ cache  (ready)  run cache",
      "   └─ api  (ready)  run api  (see above)",
      "alone  run alone",
    ]);
  });

  it("shows states and missing dependencies, and keeps commands on one line", () => {
    const graph = textGraph([
      node("a", ["b"], { state: "waiting", waiting_for: ["b"], command: "one\n  two" }),
      node("b", [], { state: "starting" }),
    ]);
    expect(graph.split("\n")).toEqual(["a  [waiting]  one ⏎ two  (waiting for b)", "└─ b  (ready)  [starting]  run b"]);
  });
});

describe("the graph for Graphviz", () => {
  it("quotes names and commands, and dashes missing dependencies", () => {
    const graph = dotGraph([node('a"\\', ["b"], { waiting_for: ["b"] }), node("b", [], { state: "error" })]);
    expect(graph.split("\n").slice(3, -1)).toEqual([
      '  "a\\"\\\\" [label="a\\"\\\\\\nrun a\\"\\\\"];',
      '  "b" [label="b\\nrun b\\nerror", fillcolor=salmon];',
      '  "a\\"\\\\" -> "b" [label="ready", style=dashed];',
    ]);
  });
});

describe("the graph for Mermaid", () => {
  it("has ids of its own, since names and commands may hold anything", () => {
    const graph = mermaidGraph([node('x"]-->y', ["b"], { command: 'echo "<b>" | cat' }), node("b", [], { state: "ready" })]);
    expect(graph.split("\n")).toEqual([
      "flowchart LR",
      '  p0["x#34;#93;--#62;y<br>echo #34;#60;b#62;#34; #124; cat"]',
      '  p1["b<br>run b<br>ready"]',
      "  p0 -->|ready| p1",
    ]);
  });
});
