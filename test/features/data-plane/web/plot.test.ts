import { describe, expect, test } from "vitest";
import { groupsOf, needsOwnScales } from "../../../../web/src/features/data-plane/plot/scales.ts";
import { statisticsOf, valueAt } from "../../../../web/src/features/data-plane/plot/statistics.ts";
import { TraceSamples } from "../../../../web/src/features/data-plane/plot/trace-samples.ts";
import { unitOf } from "../../../../web/src/features/data-plane/plot/units.ts";
import { plotOfAddress, plotParameters } from "../../../../web/src/features/data-plane/scope/plot-address.ts";

const of = (topic: string, ...fields: string[]) => fields.map((field) => ({ topic, field }));

describe("the address of a plot", () => {
  const plot = {
    traces: [...of("arm/state", "position[0]", ""), ...of("a:b%c", 'odd["k:&"]')],
    derived: [],
    seconds: 30,
    scale: "stacked",
    trigger: null,
  } as const;

  test("holds fields, window and scale, and is read back", () => {
    const parameters = new URLSearchParams();
    for (const [name, value] of plotParameters(plot)) parameters.append(name, value);
    expect(parameters.getAll("trace")[0]).toBe("arm/state:position[0]");
    expect(plotOfAddress(parameters.toString())).toEqual(plot);
  });

  test("without fields is that of no plot; wrong parts of it are left out", () => {
    expect(plotOfAddress("?view=plot&seconds=30")).toBeNull();
    expect(plotOfAddress("?trace=arm/state:x&trace=none&seconds=-1&scale=huge")).toEqual({
      traces: of("arm/state", "x"),
      derived: [],
      seconds: 10,
      scale: "auto",
      trigger: null,
    });
    expect(plotOfAddress(`?${Array.from({ length: 40 }, (_, n) => `trace=t:f${n}`).join("&")}`)?.traces).toHaveLength(20);
  });
});

describe("units", () => {
  const ROS =
    "std_msgs/Header header\nfloat64[] position  # rad\nfloat64[3] force # [N]\nfloat64 level # as it is measured\nuint8 KIND=1 # one";
  test.each([
    [ROS, "position[1]", "rad"],
    [ROS, "force[0]", "N"],
    [ROS, "level", null],
    [ROS, "missing", null],
    ["", "position", null],
    [JSON.stringify({ properties: { t: { type: "number", unit: "°C" } } }), "t", "°C"],
    [JSON.stringify({ properties: { q: { type: "array", unit: "rad", items: { type: "number" } } } }), "q[2]", "rad"],
    [JSON.stringify({ properties: { p: { properties: { x: { unit: "m" } } } } }), "p.x", "m"],
    ["{broken", "t", null],
  ])("of %j, the field %s has %j", (definition, field, unit) => {
    expect(unitOf(definition, field)).toBe(unit);
  });
});

describe("scales", () => {
  const traces = [...of("arm", "position[0]", "position[1]", "effort[0]"), ...of("cell", "position[0]")];

  test("are shared by traces of one unit, else of one name", () => {
    expect(groupsOf(traces, ({ topic, field }) => (topic === "arm" && field.startsWith("position") ? "rad" : null))).toEqual([
      { label: "rad", traces: [0, 1] },
      { label: "effort", traces: [2] },
      { label: "position", traces: [3] },
    ]);
  });

  test("are separate if one would be ten times as large as its group needs; constant traces do not count", () => {
    const groups = groupsOf(traces.slice(0, 3), () => null);
    const range = (min: number, max: number) => ({ min, max });
    expect(needsOwnScales(groups, [range(-1, 1), range(0, 2), range(-8, 8)])).toBe(false);
    expect(needsOwnScales(groups, [range(-1, 1), range(0, 2), range(-40, 40)])).toBe(true);
    expect(needsOwnScales(groups, [range(100, 101), null, range(0, 20)])).toBe(true);
    expect(needsOwnScales(groups, [range(3, 3), range(3, 3), range(0, 20)])).toBe(false);
    expect(needsOwnScales(groups, [null, null, range(0, 20)])).toBe(false);
  });
});

describe("samples", () => {
  const samples = new TraceSamples(["x"], { most: 1_000, step: 1, seconds: 1_000 });
  // Ten samples a second from 100 s to 102 s, and again from 110 s.
  for (const start of [100, 110]) {
    const times = Array.from({ length: 21 }, (_, row) => start + row / 10);
    samples.add(times, [times.map((_, row) => row)]);
  }
  const span = { from: 95, until: 115 };

  test("have statistics of the visible part", () => {
    expect(statisticsOf(samples, "x", { from: 100, until: 102 })).toMatchObject({ count: 21, min: 0, max: 20, mean: 10 });
    expect(statisticsOf(samples, "x", { from: 100, until: 102 })?.deviation).toBeCloseTo(Math.sqrt(440 / 12), 6);
    expect(statisticsOf(samples, "x", { from: 103, until: 104 })).toBeNull();
  });

  test("have a value at a time only where there is one", () => {
    expect(valueAt(samples, "x", 101.04, span)).toBe(10);
    expect(valueAt(samples, "x", 96, span)).toBeNull();
    expect(valueAt(samples, "x", 106, span)).toBeNull();
    expect(valueAt(samples, "x", 114, span)).toBeNull();
  });

  test("are prepended with older ones, and continue", () => {
    const bounds = { most: 1_000, step: 1, seconds: 1_000 };
    const [live, older] = [new TraceSamples(["x", "y"], bounds), new TraceSamples(["x", "y"], bounds)];
    live.add(
      [10, 11],
      [
        [1, 2],
        [3, 4],
      ],
    );
    older.add(
      [8, 9, 10, 10.5],
      [
        [-2, -1, 1, 1],
        [0, 0, 3, 0],
      ],
    );
    const all = live.withOlder(older);
    all.add([12], [[5], [6]]);
    expect(all.oldest).toBe(8);
    expect(all.between(0, 20)).toEqual([
      [8, 9, 10, 11, 12],
      [-2, -1, 1, 2, 5],
      [0, 0, 3, 4, 6],
    ]);
  });
});
