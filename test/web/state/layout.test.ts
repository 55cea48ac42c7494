import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as layouts from "../../../web/src/state/layout.ts";
import { keyOf, type View } from "../../../web/src/state/views.ts";

const process = (name: string): View => ({ kind: "process", name });
const keys = (layout: layouts.Layout) => layouts.panesOf(layout.root).map((pane) => pane.tabs.map((tab) => keyOf(tab.view)));

describe("tabs", () => {
  test("a view replaces the tab that is not kept", () => {
    const layout = layouts.open(layouts.open(layouts.newLayout(), process("a")), process("b"));
    expect(keys(layout)).toEqual([["process:b"]]);
  });
  test("a kept tab stays, and a view that is open is shown where it is", () => {
    let layout = layouts.open(layouts.newLayout(), process("a"), true);
    layout = layouts.open(layout, process("b"));
    layout = layouts.open(layout, process("a"));
    expect(keys(layout)).toEqual([["process:b", "process:a"]]);
    expect(layouts.activeView(layouts.focusedPane(layout))).toEqual(process("a"));
  });
  test("closing the last tab of the last pane leaves the overview", () => {
    const layout = layouts.close(layouts.newLayout(process("a")), 1, 0);
    expect(keys(layout)).toEqual([["overview"]]);
  });
});

describe("panes", () => {
  test("a split moves the active tab if another one stays", () => {
    let layout = layouts.open(layouts.newLayout(process("a")), process("b"), true);
    layout = layouts.split(layout, 1, "row");
    expect(keys(layout)).toEqual([["process:a"], ["process:b"]]);
  });
  test("closing the last tab of a pane removes the pane", () => {
    let layout = layouts.split(layouts.newLayout(process("a")), 1, "column");
    layout = layouts.close(layout, layout.focused, 0);
    expect(layout.root.type).toBe("pane");
    expect(keys(layout)).toEqual([["process:a"]]);
  });
  test("a tab moves to another pane, and an emptied pane is removed", () => {
    let layout = layouts.split(layouts.newLayout(process("a")), 1, "row", process("b"));
    const [from, to] = layouts.panesOf(layout.root);
    layout = layouts.move(layout, from?.id ?? 0, 0, to?.id ?? 0);
    expect(keys(layout)).toEqual([["process:b", "process:a"]]);
  });
  test("a grid has a pane for each view", () => {
    expect(keys(layouts.grid(["a", "b", "c", "d", "e"].map(process)))).toHaveLength(5);
  });
});

describe("a stored layout", () => {
  test("is read back unchanged", () => {
    const layout = layouts.split(layouts.open(layouts.newLayout(), process("a/ü"), true), 1, "row", process("b"));
    const read = layouts.readLayout(JSON.parse(JSON.stringify(layout)));
    expect(read && keys(read)).toEqual(keys(layout));
  });
  test("that is something else is null or a layout with a pane and a tab, whatever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.jsonValue()), (value, children) => {
        for (const stored of [value, { root: value }, { root: { children } }, { root: { tabs: children } }]) {
          const read = layouts.readLayout(stored);
          expect(read === null || layouts.focusedPane(read).tabs.length > 0).toBe(true);
        }
      }),
    );
  });
  test("whatever changes are made to a layout, each pane has a tab and the focused pane exists", () => {
    const step = fc.record({ what: fc.constantFrom("open", "keep", "close", "split", "move"), a: fc.nat(5), b: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let layout = layouts.newLayout();
        for (const { what, a, b } of steps) {
          const panes = layouts.panesOf(layout.root);
          const id = panes[a % panes.length]?.id ?? 0;
          if (what === "open") layout = layouts.open(layout, process(`p${a}`));
          else if (what === "keep") layout = layouts.open(layout, process(`p${b}`), true);
          else if (what === "close") layout = layouts.close(layout, id, b % (panes[a % panes.length]?.tabs.length ?? 1));
          else if (what === "split") layout = layouts.split(layout, id, b % 2 ? "row" : "column");
          else layout = layouts.move(layout, id, 0, panes[b % panes.length]?.id ?? 0);
          const now = layouts.panesOf(layout.root);
          expect(now.every((pane) => pane.active >= 0 && pane.active < pane.tabs.length)).toBe(true);
          expect(new Set(now.map((pane) => pane.id)).size).toBe(now.length);
          expect(now.some((pane) => pane.id === layout.focused)).toBe(true);
        }
      }),
    );
  });
});
