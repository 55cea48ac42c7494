import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { fitted, numberText, ticks } from "../../../../../src/features/data-plane/cli/oscilloscope/axis.ts";
import { Canvas } from "../../../../../src/features/data-plane/cli/oscilloscope/canvas.ts";
import { INITIAL, type OscilloscopeState, press } from "../../../../../src/features/data-plane/cli/oscilloscope/model.ts";
import { picture, type ShownTrace } from "../../../../../src/features/data-plane/cli/oscilloscope/picture.ts";
import { TraceBuffer } from "../../../../../src/features/data-plane/cli/oscilloscope/trace-buffer.ts";

describe("the buffer of a trace", () => {
  test("joins values of 2 ms and keeps their extremes", () => {
    const buffer = new TraceBuffer();
    for (const [time, value] of [
      [0, 1],
      [0.0005, 5],
      [0.001, -2],
      [0.0015, 3],
      [0.01, 7],
    ] as const)
      buffer.add(time, value);
    expect([...buffer.since(0)]).toEqual([
      { time: 0, min: -2, max: 5, last: 3 },
      { time: 0.01, min: 7, max: 7, last: 7 },
    ]);
  });

  test("holds the newest 120 s of any rate, and no more", () => {
    const buffer = new TraceBuffer();
    for (let index = 0; index < 150_000; index++) buffer.add(index * 0.0025, index);
    expect(buffer.size).toBe(60_000);
    const kept = [...buffer.since(0)];
    expect([kept[0]?.last, kept.at(-1)?.last]).toEqual([90_000, 149_999]);
    expect([...buffer.since(149_998 * 0.0025)].map(({ last }) => last)).toEqual([149_997, 149_998, 149_999]);
  });

  test("has a gap where a value is not a number", () => {
    const buffer = new TraceBuffer();
    buffer.add(0, 1);
    buffer.add(0.0001, Number.NaN);
    buffer.add(0.0002, 2);
    expect([...buffer.since(0)].map(({ last }) => last)).toEqual([1, Number.NaN, 2]);
  });

  test("a copy does not change", () => {
    const buffer = new TraceBuffer();
    buffer.add(0, 1);
    const copy = buffer.copy();
    buffer.add(1, 2);
    buffer.clear();
    expect([copy.last, copy.size, buffer.last]).toEqual([1, 1, null]);
  });
});

describe("the axis", () => {
  test.each([
    [{ low: 0, high: 10 }, 6, [0, 2, 4, 6, 8, 10]],
    [{ low: -1.05, high: 1.05 }, 5, [-1, 0, 1]],
    [{ low: 100, high: 100.5 }, 3, [100, 100.5]],
  ])("%j with %i ticks", (range, most, expected) =>
    expect(ticks(range, most).map((tick) => Number(tick.toPrecision(12)))).toEqual(expected),
  );

  test("has a margin around values, also around a single value", () => {
    expect(fitted({ low: 0, high: 10 })).toEqual({ low: -0.5, high: 10.5 });
    for (const value of [0, 5, -3, 1e300, 1e-300]) {
      const { low, high } = fitted({ low: value, high: value });
      expect(low < value && value < high).toBe(true);
    }
    expect(fitted({ low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY })).toEqual({ low: -1, high: 1 });
  });

  test.each([
    [0, "0"],
    [0.123456789, "0.123457"],
    [1200, "1200"],
    [-2.5, "-2.5"],
    [1.5e-9, "1.5e-9"],
    [123456789, "1.235e8"],
    [Number.NaN, "NaN"],
  ])("%d is %s", (value, text) => expect(numberText(value)).toBe(text));
});

test("dots of a canvas", () => {
  const canvas = new Canvas(2, 1);
  canvas.dot(0, 0, 1);
  canvas.dot(3, 3, 2);
  canvas.dot(9, 9, 3);
  expect(canvas.row(0, (colour, text) => `<${colour}${text}>`)).toBe("<1⠁><2⢀>");
});

const trace = (name: string, colour: number, values: readonly number[]): ShownTrace => {
  const buffer = new TraceBuffer();
  for (const [index, value] of values.entries()) buffer.add(index / 10, value);
  return { name, colour, buffer, isHidden: false, status: "", missed: 0 };
};
const sine = Array.from({ length: 100 }, (_, index) => Math.sin(index / 10));
const SIZES = [
  { rows: 24, cols: 80 },
  { rows: 50, cols: 200 },
  { rows: 10, cols: 40 },
  { rows: 5, cols: 20 },
];

describe("the picture", () => {
  test.each(SIZES)("fills a terminal of %j exactly", (size) => {
    const many = Array.from({ length: 24 }, (_, index) => trace(`arm/größe-日本.position[${index}]`, index + 1, sine));
    for (const traces of [[], [trace("arm/state.x", 1, sine)], many])
      for (const state of [INITIAL, { ...INITIAL, isHelpShown: true }, { ...INITIAL, selected: "arm/state.x", lost: "gone" }]) {
        const { lines } = picture(state, traces, size, 10);
        if (size.rows >= 10) expect(lines).toHaveLength(size.rows);
        expect(lines.length).toBeLessThanOrEqual(size.rows);
        for (const line of lines) expect(stringWidth(line)).toBe(size.cols);
      }
  });

  test("whatever the values are", () => {
    fc.assert(
      fc.property(fc.array(fc.double(), { minLength: 1, maxLength: 50 }), (values) => {
        const { lines } = picture(INITIAL, [trace("t.x", 1, values)], { rows: 24, cols: 80 }, 5);
        expect(lines.every((line) => stringWidth(line) === 80)).toBe(true);
      }),
      { interruptAfterTimeLimit: 5_000 },
    );
  });

  test("has the line, the axes and the numbers of the window", () => {
    const { lines, range } = picture(INITIAL, [trace("arm/state.x", 1, sine)], { rows: 24, cols: 80 }, 9.9);
    const text = lines.join("\n");
    expect(text).toContain("Live · last 10 s");
    expect(range.low).toBeCloseTo(-1.1, 1);
    expect(text).toMatch(/ {8}0 ┤/);
    expect(text).toMatch(/-10 s .*-5 s .*now/);
    expect(text).toMatch(/● arm\/state\.x +-0\.457536 +-0\.999923 +0\.999574/);
    // A dot in each column.
    const drawn = lines.slice(1, -4).map((line) => [...line].slice(12));
    for (let col = 2; col < 66; col++) expect(drawn.some((line) => (line[col] ?? " ") !== " ")).toBe(true);
  });

  test("shows no values of hidden traces, and the reason if there are none", () => {
    const hidden = { ...trace("far", 2, [1_000]), isHidden: true };
    const waiting = { ...trace("new", 3, []), status: "waiting for messages" };
    const { lines, range } = picture(INITIAL, [trace("near", 1, [1, 2]), hidden, waiting], { rows: 24, cols: 80 }, 5);
    expect(range.high).toBeLessThan(3);
    expect(lines.join("\n")).toMatch(/○ far/);
    expect(lines.join("\n")).toMatch(/● new +waiting for messages/);
  });
});

describe("keys", () => {
  const traces = [{ name: "a" }, { name: "b" }];
  const typing = (keys: readonly string[], from: OscilloscopeState = INITIAL) =>
    keys.reduce((state, key) => press(state, key, { traces, now: 42, range: { low: 0, high: 1 } }).state, from);
  const commandOf = (keys: readonly string[], key: string) =>
    press(typing(keys), key, { traces, now: 42, range: { low: 0, high: 1 } }).command;

  test("pause at the present moment, and continue", () => {
    expect(typing([" "]).pausedAt).toBe(42);
    expect(typing([" ", " "]).pausedAt).toBeNull();
  });

  test("change the window within its bounds", () => {
    expect([typing(["+"]).window, typing(["-"]).window]).toEqual([5, 20]);
    expect(typing(Array.from({ length: 20 }, () => "+")).window).toBe(1);
    expect(typing(Array.from({ length: 20 }, () => "-")).window).toBe(120);
    expect(typing(["+"], { ...INITIAL, window: 0.5 }).window).toBe(1);
  });

  test("fix the value axis at its visible range", () => {
    expect(typing(["f"]).held).toEqual({ low: 0, high: 1 });
    expect(typing(["f", "f"]).held).toBeNull();
  });

  test("select, hide and remove", () => {
    expect([typing(["down"]).selected, typing(["up"]).selected, typing(["down", "down", "down"]).selected]).toEqual(["a", "b", "b"]);
    expect(commandOf(["down"], "enter")).toEqual({ kind: "hide", name: "a" });
    expect(commandOf(["down"], "x")).toEqual({ kind: "remove", name: "a" });
    expect(typing(["down", "x"]).selected).toBe("b");
    expect(typing(["up", "x"]).selected).toBe("a");
    expect(commandOf([], "x")).toBeUndefined();
    expect(commandOf([], "q")).toEqual({ kind: "quit" });
    expect(commandOf(["?"], "q")).toBeUndefined();
    expect(commandOf(["?"], "ctrl-c")).toEqual({ kind: "quit" });
  });
});
