import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ProcessTreeNode } from "../../src/protocol/resources/resources.ts";
import { pathByIndent } from "../../web/src/config/path-by-indent.ts";
import { keysAt, type Schema, valuesAt } from "../../web/src/config/schema.ts";
import { withNames } from "../../web/src/log/log-lines.ts";
import { membersOf } from "../../web/src/state/members.ts";
import { type Address, addressOfView, isPoppedOut, socketQuery, viewOfAddress } from "../../web/src/state/views.ts";
import { arranged, treeRows } from "../../web/src/tree/tree-rows.ts";
import { fuzzyMatcher } from "../../web/src/ui/fuzzy.ts";

const at = (address: string): Address => new URL(address, "http://localhost");

describe("addresses", () => {
  test("every view has a link, and the link leads back to it", () => {
    for (const view of [
      { kind: "process", name: "a b/ü?&=#+%" },
      { kind: "group", name: "sim/x" },
      { kind: "log" },
      { kind: "config" },
      { kind: "all" },
    ] as const) {
      expect(viewOfAddress(at(addressOfView(view, "")))).toEqual(view);
    }
  });
  test("other parameters are kept, and the overview has none", () => {
    expect(addressOfView({ kind: "overview" }, "?process=a&v=1")).toBe("/?v=1");
  });
  test("a window of its own uses a focused connection", () => {
    expect(socketQuery(at("/?process=a/b&window=1"))).toBe("?single_process=a%2Fb");
    expect(socketQuery(at("/?group=a&window=1"))).toBe("?single_group=a");
    expect(socketQuery(at("/?view=log&window=1"))).toBe("?log_only=1");
    expect(socketQuery(at("/?process=a"))).toBe("");
    expect(isPoppedOut(at("/?window=1"))).toBe(false);
  });
});

describe("the palette", () => {
  test("prefers whole matches, and matches at the start of a word", () => {
    const scores = ["Stop sim/world", "Go to sim/world", "Go to tools/swirl"].map(
      (title) => fuzzyMatcher("world")(title) ?? Number.NEGATIVE_INFINITY,
    );
    expect(scores[0]).toBeGreaterThan(scores[2] ?? 0);
    expect(fuzzyMatcher("stp wrld")("Stop sim/world")).not.toBeNull();
    expect(fuzzyMatcher("xyz")("Stop sim/world")).toBeNull();
  });
  test("accepts abbreviations, and no letters that are only somewhere in the text", () => {
    for (const [query, text] of [
      ["stp wrld", "Stop sim/world"],
      ["rs", "tools/robotState"],
      ["c2", "rig/camera2"],
      ["gtclk", "Go to tools/clock"],
      ["simw", "Go to sim/world"],
    ] as const)
      expect(fuzzyMatcher(query)(text), `'${query}' in '${text}'`).not.toBeNull();
    for (const [query, text] of [
      ["clock", "Open tools/calc beside the log book"],
      ["arm", "Restart sim/world"],
      ["rid", "Restart sim/world"],
      ["sd", "started"],
      ["p00", "many/p010"],
      ["log", "All processes of the rig"],
    ] as const)
      expect(fuzzyMatcher(query)(text), `'${query}' in '${text}'`).toBeNull();
    // The first "b" is no good place; the second one is.
    expect(fuzzyMatcher("ab")("a-xyz.xb a/b")).not.toBeNull();
  });
});

describe("the tree", () => {
  const leaf = (name: string): ProcessTreeNode => ({ type: "process", name });
  const group = (name: string, opened: boolean, children: ProcessTreeNode[]): ProcessTreeNode => ({
    type: "group",
    name,
    display_name: name,
    opened,
    state: "stopped",
    children,
  });
  const tree = [group("a", true, [leaf("a/x"), group("a/b", false, [leaf("a/b/y")])]), leaf("z")];
  test("shows expanded groups, and the folds of the user take precedence", () => {
    const names = (folds: Record<string, boolean>) =>
      treeRows(tree, { folds, isArranged: false, isIncluded: null }).map(({ node }) => node.name);
    expect(names({})).toEqual(["a", "a/x", "a/b", "z"]);
    expect(names({ a: false })).toEqual(["a", "z"]);
    expect(names({ "a/b": true })).toEqual(["a", "a/x", "a/b", "a/b/y", "z"]);
  });
  test("a filter expands groups with matches and hides the rest", () => {
    const rows = treeRows(tree, { folds: {}, isArranged: false, isIncluded: (name) => name.endsWith("y") });
    expect(rows.map(({ node }) => node.name)).toEqual(["a", "a/b", "a/b/y"]);
  });
  test("a process is listed below each of its headings with its whole name and a key of its own, those without one at the end", () => {
    const headings = new Map([
      ["a/x", ["sim", "big"]],
      ["z", ["big"]],
    ]);
    const nodes = arranged(["a/x", "a/b/y", "z"], headings, { prefix: "tag:", rest: "No tags" });
    const rows = treeRows(nodes, { folds: { "tag:sim": false }, isArranged: true, isIncluded: null });
    expect(rows.map(({ label, depth, isHeading }) => `${"-".repeat(depth)}${label}${isHeading ? ":" : ""}`)).toEqual([
      "big:",
      "-a/x",
      "-z",
      "sim:",
      "No tags:",
      "-a/b/y",
    ]);
    const all = treeRows(nodes, { folds: {}, isArranged: true, isIncluded: null });
    expect(all).toHaveLength(7);
    expect(new Set(all.map(({ key }) => key)).size).toBe(7);
    expect(nodes.map(membersOf)).toEqual([["a/x", "z"], ["a/x"], ["a/b/y"]]);
  });
  test("lists all members of a group", () => {
    expect(tree[0] && membersOf(tree[0])).toEqual(["a/x", "a/b/y"]);
  });
});

describe("the log", () => {
  test("links names of processes only, and loses no character", () => {
    const parts = withNames("'ada' requests start of 'a/b' and 'c'", (name) => name === "a/b");
    expect(parts).toEqual(["'ada' requests start of '", { name: "a/b" }, "' and 'c'"]);
  });
});

describe("the editor's help", () => {
  const schema = JSON.parse(readFileSync(new URL("../../docs/config.schema.json", import.meta.url), "utf8")) as Schema;
  const text = "processes:\n  sim/world:\n    restart:\n      \n";
  const doc = { line: (number: number) => ({ text: text.split("\n")[number - 1] ?? "" }) };
  test("finds where a line belongs by its indentation", () => {
    expect(pathByIndent(doc, 4, 6)).toEqual(["processes", "sim/world", "restart"]);
    expect(pathByIndent(doc, 4, 2)).toEqual(["processes"]);
  });
  test("offers the keys and values of the published schema", () => {
    expect(keysAt(schema, []).map(({ key }) => key)).toContain("processes");
    expect(keysAt(schema, ["processes", "x"]).map(({ key }) => key)).toContain("command");
    expect(valuesAt(schema, ["processes", "x", "restart", "policy"])).toEqual(expect.arrayContaining(["never", "on-failure", "always"]));
    expect(valuesAt(schema, ["processes", "x", "autostart"])).toEqual(["true", "false"]);
  });
});
