import { describe, expect, test } from "vitest";
import { planParts } from "../../web/src/config/plan-parts.ts";
import { fileState, inOrder, problemCount } from "../../web/src/config/problems.ts";

const problem = (path: string, line: number, column = 1) => ({ path, line, column, message: `${path} ${line}` });

describe("problems of the configuration", () => {
  test("are those of the shown file first, then those of the others, by place", () => {
    const found = [problem("b", 7), problem("b", 7, 0), problem("a", 9), problem("c", 1), problem("a", 2)];
    const shown = inOrder(found, "a").map(({ path, line, column }) => `${path}:${line}:${column}`);
    expect(shown).toEqual(["a:2:1", "a:9:1", "b:7:0", "b:7:1", "c:1:1"]);
  });

  test("are counted", () => {
    expect([problemCount(0), problemCount(1), problemCount(2)]).toEqual(["No problems", "1 error", "2 errors"]);
  });
});

test("a text is shown as a draft, saved or in effect", () => {
  expect(fileState({ isDirty: true, hash: "1", effectiveHash: "1" })).toBe("draft");
  expect(fileState({ isDirty: false, hash: "2", effectiveHash: "1" })).toBe("saved");
  expect(fileState({ isDirty: false, hash: "2", effectiveHash: null })).toBe("saved");
  expect(fileState({ isDirty: false, hash: "1", effectiveHash: "1" })).toBe("in effect");
});

test("a plan names each process once: what starts, what stops, what changes, and the rest", () => {
  const difference = { name: "api", key: "command", from: "a", to: "b" };
  const parts = planParts({
    added: ["new", "idle"],
    removed: ["old", "resting"],
    changed: ["api", "job"],
    restart_needed: ["api", "earlier"],
    starts: ["new", "db"],
    stops: ["old"],
    differences: [difference],
    hosts: [
      { name: "h1", change: "removed", keys: [] },
      { name: "h2", change: "changed", keys: ["token", "aliases"] },
    ],
    settings: ["flight"],
    manager_restart_needed: ["instance.state_dir"],
  });
  expect(parts).toEqual({
    starts: [{ name: "new" }, { name: "db" }],
    stops: [{ name: "old" }],
    changed: [
      { name: "api", differences: [difference], needsRestart: true },
      { name: "job", differences: [], needsRestart: false },
    ],
    added: [{ name: "idle" }],
    removed: [{ name: "resting" }],
    outdated: [{ name: "earlier" }],
    hosts: [{ name: "h1: removed" }, { name: "h2: token, aliases" }],
    settings: [{ name: "flight" }],
    later: [{ name: "instance.state_dir" }],
    isEmpty: false,
  });
});
