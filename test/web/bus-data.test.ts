import { describe, expect, test } from "vitest";
import { problemOf } from "../../web/src/data/parameter-value.ts";
import { exampleOf, interfaceOf } from "../../web/src/data/service-interface.ts";
import { pathOf } from "../../web/src/data/sparkline-path.ts";
import { csvOf, fieldValue, numericFields, TraceSamples } from "../../web/src/data/traces.ts";
import { bytesText, rateText, valueText } from "../../web/src/data/words.ts";

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
  ])("%o takes %j: %j", (parameter, text, problem) => {
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

describe("words", () => {
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

  test.each([
    ["position[1]", 2.5],
    ["header.stamp.nanosec", 2 ** 63],
    ["on", 1],
    ["nan", null],
    ["missing.field", null],
    ["constructor", null],
  ])("%s is read", (field, value) => expect(fieldValue(sample, field)).toBe(value));

  test("keep the newest samples, in rising order of time", () => {
    const samples = new TraceSamples(["", "x"], 100);
    for (let time = 0; time < 1_000; time++) samples.add(time, time);
    samples.add(5, 5);
    const [times, values, others] = samples.since(0);
    expect(times.length).toBeGreaterThanOrEqual(100);
    expect(times.length).toBeLessThanOrEqual(125);
    expect(times.at(-1)).toBe(999);
    expect(values).toEqual(times);
    expect(others?.every((value) => value === null)).toBe(true);
    expect(samples.since(997.5)[0]).toEqual([998, 999]);
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
