import { describe, expect, test } from "vitest";
import { bytesText, rateText } from "../../../../src/client/shown/units.ts";
import { problemOf } from "../../../../web/src/features/data-plane/parameters/parameter-value.ts";
import { minMaxGrid } from "../../../../web/src/features/data-plane/plot/min-max-grid.ts";
import { TraceSamples } from "../../../../web/src/features/data-plane/plot/trace-samples.ts";
import { csvOf, numericFields } from "../../../../web/src/features/data-plane/plot/traces.ts";
import { exampleOf, interfaceOf } from "../../../../web/src/features/data-plane/services/service-interface.ts";
import { valueText } from "../../../../web/src/features/data-plane/words.ts";
import { pathOf } from "../../../../web/src/ui/list/sparkline-path.ts";

describe("values of parameters", () => {
  const gain = { type: "float", minimum: 0, maximum: 10, unit: "Nm" };
  test.each([
    [gain, "2.5", null],
    [gain, "1e1", null],
    [gain, "-1", "0 to 10 Nm"],
    [gain, "", "a number"],
    [gain, "0x10", "a number"],
    [{ ...gain, maximum: null }, "-1", "at least 0 Nm"],
    [{ ...gain, minimum: null, unit: "" }, "11", "at most 10"],
    [{ ...gain, type: "int" }, "2.5", "a whole number"],
    [{ ...gain, type: "bool" }, "yes", "true or false"],
    [{ ...gain, type: "string" }, "anything", null],
    [{ ...gain, type: "" }, "anything", null],
  ])("%o accepts %j: %j", (parameter, text, problem) => {
    expect(problemOf(parameter, text)).toBe(problem);
  });
});

describe("interfaces of services", () => {
  test("are read from their metadata", () => {
    const text = JSON.stringify({ name: "arm.MoveTo", endpoints: { call: { description: "Moves.", request: { type: "object" } } } });
    expect(interfaceOf({ interface: text })).toEqual({
      name: "arm.MoveTo",
      endpoints: [{ name: "call", description: "Moves.", request: { type: "object" }, response: null }],
    });
  });

  test.each(["", "plain name", "[1]", '{"endpoints": 7}', '{"endpoints": {"x": null}}'])(
    "that are not as described do no harm: %j",
    (text) => {
      expect(() => interfaceOf({ interface: text })).not.toThrow();
    },
  );

  test("give an example of a request", () => {
    const schema = {
      type: "object",
      properties: {
        position: { type: "array", items: { type: "number" }, minItems: 2 },
        speed: { type: "number", minimum: 0.1 },
        mode: { enum: ["fast", "slow"] },
        note: { type: "string" },
      },
    };
    expect(exampleOf(schema)).toEqual({ position: [0, 0], speed: 0.1, mode: "fast", note: "" });
    expect(exampleOf({ ...schema, required: ["mode"] })).toEqual({ mode: "fast" });
    const endless = { properties: {} as Record<string, unknown> };
    endless.properties.again = endless;
    expect(() => exampleOf(endless)).not.toThrow();
  });
});

describe("numbers in words", () => {
  test.each([
    [0, "0 Hz"],
    [0.25, "0.3 Hz"],
    [42.4, "42 Hz"],
    [12_345.6, "12,346 Hz"],
  ])("rate %d", (rate, text) => expect(rateText(rate)).toBe(text));

  test.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_500, "1.5 kB"],
    [999_600, "1.0 MB"],
  ])("%d bytes", (bytes, text) => expect(bytesText(bytes)).toBe(text));

  test("a value is shown with lists of numbers on one line", () => {
    expect(valueText({ position: [1, 2], header: { seq: "12" }, none: {} })).toBe(
      '{\n  position: [1, 2]\n  header: {\n    seq: "12"\n  }\n  none: {}\n}',
    );
  });

  test("a line of rates ends at the right", () => {
    expect(pathOf([0, 10], 59, 20)).toBe("M58.0 19.0L59.0 1.0");
    expect(pathOf([0, 0], 59, 20)).not.toContain("NaN");
  });
});

describe("traces", () => {
  const sample = {
    position: [1, 2.5],
    header: { stamp: { nanosec: "9223372036854775807" }, frame: "base" },
    on: true,
    none: null,
    nan: "NaN",
  };

  test("are the numeric fields of a sample, 64-bit integers and booleans among them", () => {
    expect(numericFields(sample)).toEqual(["position[0]", "position[1]", "header.stamp.nanosec", "on", "nan"]);
    expect(numericFields(7)).toEqual([""]);
    expect(numericFields(Array.from({ length: 1_000 }, () => 1))).toHaveLength(200);
  });

  test("keep the newest samples in full, in rising order of time", () => {
    const samples = new TraceSamples(["", "x"], { most: 64, step: 20, seconds: 500 });
    for (let time = 0; time < 1_000; time += 2) samples.add([time, time + 1], [[time, -time]]);
    samples.add([5], [[5], [5]]);
    expect(samples.newest).toBe(999);
    expect(samples.latest("")).toBe(-998);
    expect(samples.latest("x")).toBeNull();
    const [times, values] = samples.between(0, 1_000);
    expect(times[0]).toBeGreaterThanOrEqual(499);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.length).toBe(samples.count(0, 1_000));
    expect(times.length).toBeLessThanOrEqual(64 + 2 * (500 / 20));
    expect(values?.length).toBe(times.length);
    expect(samples.between(940, 998)[0]).toHaveLength(59);
    expect(samples.between(996, 998)).toEqual([
      [996, 997, 998],
      [996, -996, 998],
      [null, null, null],
    ]);
  });

  test("keep the extremes of each step of old samples, and no value where there was none", () => {
    const samples = new TraceSamples(["", "x"], { most: 64, step: 20, seconds: 500 });
    for (let time = 0; time < 1_000; time++) samples.add([time], [[time % 2 === 0 ? time : -time], [time % 20 === 7 ? time : null]]);
    // The samples of 700 to 719 seconds.
    expect(samples.between(700, 719)).toEqual([
      [700, 719],
      [-719, 718],
      [707, 707],
    ]);
  });

  test("are drawn by the least and greatest value of each pixel, aligned to a grid that stays", () => {
    const fast = new TraceSamples(["x"], { most: 1_024, step: 0.001, seconds: 100 });
    const times = Array.from({ length: 4_000 }, (_, n) => n / 1_000);
    fast.add(times, [times.map((_, n) => (n === 2_345 ? 99 : n % 2))]);
    const slow = new TraceSamples(["y"], { most: 10, step: 1, seconds: 100 });
    slow.add([1.5], [[7]]);
    const [grid, x = [], y = []] = minMaxGrid([fast, slow], { from: 1, until: 4, steps: 30 });
    expect(grid.length).toBeLessThanOrEqual(2 * 32);
    expect(x.slice(2, 4)).toEqual([0, 1]);
    expect(Math.max(...x.map(Number))).toBe(99);
    expect(grid[x.indexOf(99)]).toBeCloseTo(2.35, 5);
    expect(y.filter((value) => value !== null)).toEqual([7]);
    const [later, moved = []] = minMaxGrid([fast], { from: 1.02, until: 4.02, steps: 30 });
    expect(later[moved.indexOf(99)]).toBeCloseTo(2.35, 5);
  });

  test("are saved as CSV", () => {
    const traces = [
      { topic: "a,b", field: "x" },
      { topic: "c", field: "" },
    ];
    expect(
      csvOf(traces, [
        [1, 2],
        [0.5, null],
        [undefined, 3],
      ]),
    ).toBe('time,"a,b.x",c\n1,0.5,\n2,,3\n');
  });
});
