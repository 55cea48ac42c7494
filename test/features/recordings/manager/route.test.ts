import { expect, it } from "vitest";
import { rangeOf } from "../../../../src/features/recordings/manager/route.ts";

it.each([
  [undefined, undefined],
  ["bytes=0-9", { from: 0, end: 10 }],
  ["bytes=90-", { from: 90, end: 100 }],
  ["bytes=90-1000", { from: 90, end: 100 }],
  ["bytes=-10", { from: 90, end: 100 }],
  ["bytes=-1000", { from: 0, end: 100 }],
  ["bytes=100-", null],
  ["bytes=-0", null],
  ["bytes=5-4", undefined],
  ["bytes=-", undefined],
  ["bytes=0-1,5-6", undefined],
  ["lines=0-1", undefined],
  ["bytes=99999999999999999-", undefined],
])("the range %s of 100 bytes is %j", (header, range) => {
  expect(rangeOf(header, 100)).toEqual(range);
});

it("a file without bytes has no range", () => {
  expect([rangeOf("bytes=0-0", 0), rangeOf("bytes=-5", 0), rangeOf("bytes=0-", 0)]).toEqual([null, null, null]);
});
