import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Action } from "../../../web/src/actions/action.ts";
import { preselected, ranked } from "../../../web/src/app/palette/rank.ts";

const run = () => {};
/** As the palette offers it for each process; `shown` has the actions of its view, too. */
const actionsOf = (name: string, isShown: boolean): Action[] => {
  const near = isShown ? { near: true } : {};
  return [
    { title: `Stop ${name}`, isDanger: true, run, ...near },
    { title: `Restart ${name}`, isDanger: true, run, ...near },
    { title: `Start ${name}`, run, ...near },
    { title: `Send SIGTERM to ${name}`, isDanger: true, run },
    { title: `Go to ${name}`, isPlace: true, run },
    { title: `Open ${name} beside`, run },
  ];
};
const PAGE: Action[] = ["Overview", "All processes", "Log in a tab"].map((title) => ({ title, near: true, run }));

describe("the palette", () => {
  test("never begins with an action that ends a process: for random names and their prefixes", () => {
    const word = fc.oneof(fc.constantFrom("stop", "restart", "send", "sig", "clock", "sim"), fc.stringMatching(/^[A-Za-z0-9_.-]{1,12}$/));
    const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join("/"));
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { minLength: 1, maxLength: 8 }),
        fc.nat(),
        fc.nat(),
        fc.boolean(),
        (names, which, length, isShown) => {
          const expected = names[which % names.length] ?? "";
          const query = expected.slice(0, 1 + (length % expected.length));
          const [first] = ranked([...names.flatMap((each) => actionsOf(each, isShown && each === expected)), ...PAGE], query);
          expect(first?.isDanger, `'${query}' among ${names}: ${first?.title}`).toBeUndefined();
        },
      ),
      { numRuns: 1_000, interruptAfterTimeLimit: 20_000 },
    );
  });

  test("shows the first ones of the whole order, however few it shows: for random names and words", () => {
    const word = fc.constantFrom("sim", "clock", "world", "stop", "go", "w2");
    const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join("/"));
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 12 }), word, fc.integer({ min: 1, max: 20 }), (names, query, most) => {
        const actions = [...names.flatMap((each, index) => actionsOf(each, index === 0)), ...PAGE];
        const all = ranked(actions, query).map(({ title }) => title);
        expect(new Set(all).size).toBe(all.length);
        expect(ranked(actions, query, most).map(({ title }) => title)).toEqual(all.slice(0, most));
        expect(ranked(actions, "", most)).toEqual(ranked(actions, "").slice(0, most));
      }),
      { numRuns: 300, interruptAfterTimeLimit: 20_000 },
    );
  });

  test("Enter alone ends nothing, whatever is typed", () => {
    const actions = [...actionsOf("clock", true), ...PAGE];
    for (const query of ["", "stop", "stop clock", "st cl", "restart clock", "send", "x"]) {
      expect(preselected(ranked(actions, query))?.isDanger, query).toBeUndefined();
    }
    expect(ranked(actions, "stop clock")[0]?.title).toBe("Stop clock");
    expect(preselected(ranked(actions, "stop clock"))).toBeUndefined();
  });

  test("a name leads to its process first, a verb and a name to that action", () => {
    const actions = [...actionsOf("clock", true), ...actionsOf("tools/clock", false), ...PAGE];
    expect(ranked(actions, "clock")[0]?.title).toBe("Go to clock");
    expect(ranked(actions, "start clo")[0]?.title).toBe("Start clock");
    expect(ranked(actions, "clk")[0]?.title).toBe("Go to clock");
    expect(ranked(actions, "stp clk").map(({ title }) => title)).toEqual(["Stop clock", "Stop tools/clock"]);
    const abbreviated = ranked(actions, "st clk").map(({ isDanger }) => isDanger === true);
    expect(abbreviated).toEqual([...abbreviated].sort());
    expect(ranked(actions, "").map(({ near }) => near)).not.toContain(undefined);
  });
});
