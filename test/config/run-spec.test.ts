import { describe, expect, it } from "vitest";
import { loadConfigObject } from "../../src/config/load/load.ts";
import { buildRunSpec, stopRanks } from "../../src/config/run-spec.ts";
import { runSpec, specHash } from "../../src/contract/run.ts";

const load = (processes: Record<string, { command: string; depends_on?: string[]; alternate_commands?: Record<string, string> }>) =>
  loadConfigObject({ processes }, { base_dir: "/work", state_dir: "/tmp/s" });

describe("a run spec", () => {
  const definition = load({ "g/a": { command: "sleep 1", alternate_commands: { dbg: "gdb | cat" } } }).processes.get("g/a");
  if (definition === undefined) throw new Error("missing");

  it("holds what the contract requires, and the command in effect", () => {
    const spec = buildRunSpec(definition, { command: definition.command, inherited: { PATH: "/bin" }, stop_rank: 3 });
    expect(runSpec.parse(spec)).toEqual(spec);
    expect(spec).toMatchObject({
      name: "g/a",
      command: "sleep 1",
      program: { kind: "exec" },
      base_dir: "/work",
      cwd: ".",
      stop_rank: 3,
      inherited: { PATH: "/bin" },
    });
    const alternate = definition.alternate_commands.get("dbg") ?? definition.command;
    const other = buildRunSpec(definition, { command: alternate, inherited: null, stop_rank: 0, size: { rows: 50, cols: 132 } });
    expect(other).toMatchObject({
      command: "gdb | cat",
      program: { kind: "shell", line: "gdb | cat" },
      terminal: { rows: 50, cols: 132, backlog: 4_194_304 },
    });
    expect(specHash(other)).not.toBe(specHash(spec));
  });
});

describe("the stop rank", () => {
  it("of a process is higher than those of all it depends on", () => {
    const ranks = stopRanks(
      load({
        web: { command: "x", depends_on: ["db", "cache"] },
        cache: { command: "x", depends_on: ["db"] },
        db: { command: "x" },
        lone: { command: "x" },
      }),
    );
    expect(Object.fromEntries(ranks)).toEqual({ db: 0, cache: 1, web: 2, lone: 0 });
  });

  it("is found for a chain of ten thousand, and for many paths to the same process", () => {
    const chain = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, n) => [`p${n}`, { command: "x", depends_on: n === 9_999 ? [] : [`p${n + 1}`] }]),
    );
    expect(stopRanks(load(chain)).get("p0")).toBe(9_999);
    const lattice = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [
        `p${n}`,
        { command: "x", depends_on: Array.from({ length: Math.min(n, 2) }, (_, back) => `p${n - 1 - back}`) },
      ]),
    );
    expect(stopRanks(load(lattice)).get("p59")).toBe(59);
  });
});
