import { describe, expect, test } from "vitest";
import { formatOf } from "../../../../src/features/data-plane/cli/topic/echo.ts";
import { readable } from "../../../../src/features/data-plane/cli/topic/sample.ts";

const sample = (value: unknown, seq: number | null = 7) => ({ value, time: 1_763_832_000_123_456_789n, seq });
const STATE = { name: "arm", position: new Float64Array([0.5, -1]), stamp: { sec: 1, nanosec: 5 }, big: 9_007_199_254_740_993n };

describe("a sample is printed", () => {
  test("as a YAML document, lists of numbers in one line", () => {
    expect(formatOf({})(sample(STATE))).toBe(
      'name: arm\nposition: [0.5, -1]\nstamp:\n  sec: 1\n  nanosec: 5\nbig: "9007199254740993"\n---\n',
    );
  });

  test("as one field, as text of its own", () => {
    expect(formatOf({ field: "position[1]" })(sample(STATE))).toBe("-1\n");
    expect(formatOf({ field: "name" })(sample(STATE))).toBe("arm\n");
    expect(formatOf({ field: "position" })(sample(STATE))).toBe("[0.5,-1]\n");
    expect(formatOf({ field: "nothing" })(sample(STATE))).toBe("");
    expect(() => formatOf({ field: "a..b" })).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  test("as CSV with the columns of the first one", () => {
    const format = formatOf({ csv: true });
    expect(format(sample(STATE))).toBe(
      "time,seq,name,position[0],position[1],stamp.sec,stamp.nanosec,big\n1763832000.123456789,7,arm,0.5,-1,1,5,9007199254740993\n",
    );
    expect(format(sample({ name: 'say "a, b"', position: [1, 2, 3], more: 1 }, null))).toBe(
      '1763832000.123456789,,"say ""a, b""",1,2,,,\n',
    );
    expect(formatOf({ csv: true, field: "position" })(sample(STATE))).toBe(
      "time,seq,position[0],position[1]\n1763832000.123456789,7,0.5,-1\n",
    );
    expect(formatOf({ csv: true })(sample(3))).toBe("time,seq,value\n1763832000.123456789,7,3\n");
  });

  test("as one line of JSON", () => {
    expect(JSON.parse(formatOf({ json: true })(sample(STATE)))).toEqual({
      time: "1763832000.123456789",
      seq: 7,
      value: { name: "arm", position: [0.5, -1], stamp: { sec: 1, nanosec: 5 }, big: "9007199254740993" },
    });
    expect(JSON.parse(formatOf({ json: true, field: "position[0]" })(sample(STATE, null)))).toMatchObject({ seq: null, value: 0.5 });
  });
});

test("bytes without a definition are printed as JSON, else text, else base64", () => {
  expect(readable(Buffer.from('{"a": 1}'))).toEqual({ a: 1 });
  expect(readable(Buffer.from("größe"))).toBe("größe");
  expect(readable(Uint8Array.of(0xff, 0xfe))).toBe("//4=");
  expect(readable({ a: 1 })).toEqual({ a: 1 });
});
