import { expect, it } from "vitest";
import { jsonValueOf } from "../../../../src/features/data-plane/manager/json-value.ts";

it("64-bit integers and numbers that JSON does not know are strings, bytes are base64", () => {
  expect(
    jsonValueOf({
      a: 9_007_199_254_740_993n,
      b: Number.NaN,
      c: -Infinity,
      d: new Uint8Array([1, 2, 255]),
      e: new Float64Array([1, Number.NaN]),
      f: -0.5,
    }),
  ).toEqual({ a: "9007199254740993", b: "NaN", c: "-Infinity", d: "AQL/", e: [1, "NaN"], f: -0.5 });
  expect(jsonValueOf({ g: new BigInt64Array([-1n]), h: null, i: undefined, j: "text", k: true })).toEqual({
    g: ["-1"],
    h: null,
    i: null,
    j: "text",
    k: true,
  });
});

it("long arrays are cut with a note, whatever they hold", () => {
  const cut = jsonValueOf(new Float32Array(1_500)) as unknown[];
  expect(cut).toHaveLength(1_001);
  expect(cut.at(-1)).toBe("… 500 more elements");
  expect(jsonValueOf(Array.from({ length: 1_000 }, () => 0))).toHaveLength(1_000);
});

it("a message of any shape stays small and can be written as JSON", () => {
  const wide = Array.from({ length: 900 }, () => Array.from({ length: 900 }, () => 1));
  expect(JSON.stringify(jsonValueOf(wide)).length).toBeLessThan(200_000);
  let deep: unknown = 1;
  for (let level = 0; level < 10_000; level++) deep = [deep];
  expect(JSON.stringify(jsonValueOf(deep)).length).toBeLessThan(1_000);
  expect(JSON.stringify(jsonValueOf({ image: new Uint8Array(8_000_000), text: "x".repeat(1_000_000) })).length).toBeLessThan(200_000);
  const odd = JSON.parse('{"__proto__": {"x": 1}}') as object;
  expect(JSON.stringify(jsonValueOf(odd))).toBe('{"__proto__":{"x":1}}');
});
