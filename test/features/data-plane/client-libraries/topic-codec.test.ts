import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { topicCodec } from "../../../../src/features/data-plane/client/topic-codec.ts";
import { jsonText } from "../../../../src/features/data-plane/samples/json-text.ts";
import { vectors } from "./vectors.ts";

const TYPED = [
  "bool flag",
  "int8 i8",
  "uint16 u16",
  "int32 i32",
  "int64 i64",
  "uint64 u64",
  "float32 f32",
  "float64 f64",
  "string text",
  "float64[3] fixed",
  "string[] names",
  "int16[<=4] few",
  "builtin_interfaces/Time stamp",
  "Point point",
  "Point[] path",
  "=".repeat(80),
  "MSG: demo/Point",
  "float32 x",
  "uint8 n",
  "float64 y",
].join("\n");
const float = fc.float({ noNaN: true });
const double = fc.double({ noNaN: true });
const text = fc.string({ unit: "grapheme", maxLength: 12 }).filter((each) => !each.includes("\0"));
const point = fc.record({ x: float, n: fc.nat(255), y: double });
const message = fc.record({
  flag: fc.boolean(),
  i8: fc.integer({ min: -128, max: 127 }),
  u16: fc.nat(65_535),
  i32: fc.integer(),
  i64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  u64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  f32: float,
  f64: double,
  text,
  fixed: fc.array(double, { minLength: 3, maxLength: 3 }),
  names: fc.array(text, { maxLength: 3 }),
  few: fc.array(fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 }), { maxLength: 4 }),
  stamp: fc.record({ sec: fc.integer(), nanosec: fc.nat(2 ** 31) }),
  point,
  path: fc.array(point, { maxLength: 3 }),
});

/** Typed arrays as lists, integers of 64 bits as text. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, each: unknown) => {
      if (typeof each === "bigint") return each.toString();
      if (Object.is(each, -0)) return 0;
      return ArrayBuffer.isView(each)
        ? Array.from(each as unknown as ArrayLike<unknown>, (one) => (typeof one === "bigint" ? `${one}` : one))
        : each;
    }),
  );

describe("CDR", () => {
  it.each(vectors.cdr)("writes and reads $hex", ({ definition, value, hex }) => {
    const codec = topicCodec("cdr", definition);
    expect(Buffer.from(codec.encode(value)).toString("hex")).toBe(hex);
    expect(plain(codec.decode(Buffer.from(hex, "hex")))).toEqual(value);
  });

  it("what is written is what another library reads, strings in any language included", () => {
    const codec = topicCodec("cdr", TYPED);
    fc.assert(
      fc.property(message, (value) => {
        expect(plain(codec.decode(codec.encode(value)))).toEqual(plain(value));
      }),
      { interruptAfterTimeLimit: 2_000 },
    );
  });

  it("fields that are left out are zero, or their default", () => {
    const codec = topicCodec("cdr", `float64 x\nint32 n 7\nstring s\nfloat64[2] pair\nP p\n${"=".repeat(80)}\nMSG: demo/P\nuint8 q\n`);
    expect(plain(codec.decode(codec.encode({})))).toEqual({ x: 0, n: 7, s: "", pair: [0, 0], p: { q: 0 } });
  });

  it.each([
    ["float64 x", { x: "fast" }, "x must be a number of type float64"],
    ["uint8 n", { n: 256 }, "n must be a number of type uint8"],
    ["int32 n", { n: 1.5 }, "n must be a number of type int32"],
    ["uint64 n", { n: -1 }, "n must be a number of type uint64"],
    ["bool b", { b: "yes" }, "b must be true or false"],
    ["string s", { s: 1 }, "s must be a string"],
    ["float64[] v", { v: 1 }, "v must be a list"],
    ["float64[2] v", { v: [1] }, "v must be a list of 2 elements"],
    ["int8[<=1] v", { v: [1, 2] }, "v must be a list of at most 1 elements"],
    ["int8[] v", { v: [1, null, 300] }, "v[2] must be a number of type int8"],
    ["float64 x", 5, "the message must be an object"],
  ])("%s refuses %j", (definition, value, words) => {
    expect(() => topicCodec("cdr", definition).encode(value)).toThrow(expect.objectContaining({ code: "bad_field", message: words }));
  });

  it("definitions and messages that are broken are refused", () => {
    expect(() => topicCodec("cdr", "float64")).toThrow(/not a ROS 2 message/);
    expect(() => topicCodec("cdr", "#".repeat(300_000))).toThrow(/at most 262144/);
    expect(() => topicCodec("cdr", "float64 x").decode(Uint8Array.of(0, 1, 0, 0, 1))).toThrow(/does not fit the definition/);
    expect(() => topicCodec("json", "{}").decode(Buffer.from("{"))).toThrow(/is not JSON/);
    expect(() => topicCodec("raw", "").encode({})).toThrow(/carries bytes/);
  });
});

describe("JSON", () => {
  it.each(vectors.json)("$type $value is $json", ({ type, value, json }) => {
    const values = { float: () => Number(value), int: () => BigInt(value), bytes: () => Buffer.from(value, "hex") };
    expect(jsonText(values[type]())).toBe(json);
  });

  it("arrays of numbers are lists, and bytes in any view are base64", () => {
    expect(jsonText({ a: Float64Array.of(1, Number.NaN), b: Uint8Array.of(0, 255, 16), c: BigInt64Array.of(2n ** 60n) })).toBe(
      '{"a":[1,"NaN"],"b":"AP8Q","c":["1152921504606846976"]}',
    );
    expect(jsonText(undefined)).toBe("null");
  });
});
