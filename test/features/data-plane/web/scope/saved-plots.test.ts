import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_TRACES } from "../../../../../web/src/features/data-plane/plot/traces.ts";
import { derivedOf } from "../../../../../web/src/features/data-plane/scope/derived.ts";
import { type Plot, plotOfAddress, plotParameters, WINDOWS } from "../../../../../web/src/features/data-plane/scope/plot-address.ts";
import {
  fileOfSaved,
  MAX_NAME,
  MAX_SAVED,
  readStored,
  savedOfFile,
  storedForm,
  withSaved,
} from "../../../../../web/src/features/data-plane/scope/saved-plots.ts";
import { TRIGGER_KINDS, TRIGGER_MODES } from "../../../../../web/src/features/data-plane/scope/trigger.ts";

const trace = fc.record({ topic: fc.string({ minLength: 1 }), field: fc.string() });
const derived = fc.oneof(
  fc.tuple(fc.constantFrom("difference"), fc.tuple(trace, trace), fc.constant(0)),
  fc.tuple(fc.constantFrom("derivative"), fc.tuple(trace), fc.constant(0)),
  fc.tuple(fc.constantFrom("mean"), fc.tuple(trace), fc.double({ min: 0.001, max: 60, noNaN: true })),
  fc.tuple(fc.constantFrom("norm"), fc.array(trace, { minLength: 1, maxLength: 4 }), fc.constant(0)),
);
const trigger = fc.record({
  trace,
  kind: fc.constantFrom(...TRIGGER_KINDS),
  level: fc.double({ noNaN: true, noDefaultInfinity: true }).map((level) => level + 0),
  mode: fc.constantFrom(...TRIGGER_MODES),
  before: fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
});
const plots: fc.Arbitrary<Plot> = fc.record({
  traces: fc.array(trace, { minLength: 1, maxLength: 5 }),
  derived: fc.array(
    derived.map(([kind, inputs, seconds]) => derivedOf(kind, inputs, seconds) ?? { kind: "norm" as const, inputs }),
    { maxLength: 5 },
  ),
  seconds: fc.constantFrom(...WINDOWS),
  scale: fc.constantFrom("auto", "one", "stacked"),
  trigger: fc.option(trigger),
});
const [some] = fc.sample(plots, { numRuns: 1, seed: 1 });
const plot = some as Plot;

describe("a plot", () => {
  test("is the same after its address, and after it was stored, exported and imported", () => {
    fc.assert(
      fc.property(plots, fc.string({ minLength: 1, maxLength: MAX_NAME }), (shown, text) => {
        const parameters = new URLSearchParams();
        for (const [name, value] of plotParameters(shown)) parameters.append(name, value);
        expect(plotOfAddress(parameters.toString())).toEqual(shown);
        const name = text.trim() || "plot";
        expect(readStored(JSON.parse(JSON.stringify(storedForm([{ name, plot: shown }]))))).toEqual([{ name, plot: shown }]);
        expect(savedOfFile(fileOfSaved([{ name, plot: shown }]))).toEqual([{ name, plot: shown }]);
      }),
    );
  });

  test.each([
    "derived=difference,0,t:x",
    "derived=mean,0,t:x",
    "derived=mean,1000,t:x",
    "derived=norm,0,t:%zz",
    "derived=",
    "trigger=rising,,20,auto,t:x",
    "trigger=rising,1,120,auto,t:x",
    "trigger=rising,1,20,once,t:x",
    "trigger=rising,1,20,auto",
  ])("has not what is wrong in its address: %s", (wrong) => {
    expect(plotOfAddress(`?trace=t:x&${wrong}`)).toEqual({
      traces: [{ topic: "t", field: "x" }],
      derived: [],
      seconds: 10,
      scale: "auto",
      trigger: null,
    });
  });

  test("is the one that its documentation says", () => {
    const text = readFileSync(new URL("../../../../../docs/plots.md", import.meta.url), "utf8");
    const address = /```text\n(http.*?)```/s.exec(text)?.[1]?.replace(/\s+/g, "") ?? "";
    const [first, second] = [0, 1].map((index) => ({ topic: "arm/joint_states", field: `position[${index}]` }));
    expect(plotOfAddress(new URL(address).search)).toEqual({
      traces: [first, second],
      derived: [{ kind: "difference", inputs: [first, second] }],
      seconds: 0.5,
      scale: "auto",
      trigger: { kind: "rising", level: 0.2, before: 0.2, mode: "normal", trace: first },
    });
  });

  test("has at most as many traces as colours, with its series", () => {
    const fields = Array.from({ length: MAX_TRACES - 1 }, (_, n) => `trace=t:f${n}`);
    const shown = plotOfAddress(`?${[...fields, "derived=derivative,0,t:x", "derived=derivative,0,t:y"].join("&")}`);
    expect(shown?.derived).toEqual([{ kind: "derivative", inputs: [{ topic: "t", field: "x" }] }]);
  });
});

describe("saved plots", () => {
  test("are read from any stored value, as far as it can be read", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const read = readStored(value);
        expect(read === null).toBe(!Array.isArray(value));
      }),
    );
    const valid = storedForm([{ name: "a", plot }]);
    expect(readStored([...valid, null, { name: "", plot: [] }, { name: "b" }, { name: "c", plot: [["trace"]] }])).toEqual([
      { name: "a", plot },
    ]);
  });

  test("take the place of those of the same name, and are bounded", () => {
    const all = Array.from({ length: MAX_SAVED }, (_, n) => ({ name: `p${String(n).padStart(2, "0")}`, plot }));
    const renewed = { ...plot, seconds: 300 };
    const { saved, refused } = withSaved(all, [
      { name: "p07", plot: renewed },
      { name: "new", plot },
    ]);
    expect(refused).toBe(1);
    expect(saved).toHaveLength(MAX_SAVED);
    expect(saved[7]).toEqual({ name: "p07", plot: renewed });
  });

  test.each([
    ["{", "not JSON"],
    ["[]", 'no "format"'],
    ['{"format": "mgr-plots-2", "plots": []}', 'no "format"'],
    ['{"format": "mgr-plots-1", "plots": {}}', 'no "format"'],
    ['{"format": "mgr-plots-1", "plots": [{"name": "x", "plot": []}]}', "no plot that can be read"],
  ])("of the file %s are refused: %s", (text, problem) => {
    expect(() => savedOfFile(text)).toThrow(problem);
  });
});
