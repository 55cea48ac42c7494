import { expect, it } from "vitest";
import { spanUnderFingers } from "../../web/src/ui/plot/finger-span.ts";

const WHOLE = { from: 100, until: 200 };

it("the points under two fingers stay under them", () => {
  expect(spanUnderFingers(WHOLE, [0.4, 0.6], [0.2, 0.8], WHOLE)).toEqual({ from: expect.closeTo(133.333), until: expect.closeTo(166.667) });
  const { from, until } = spanUnderFingers(WHOLE, [0.6, 0.3], [0.9, 0.1], WHOLE);
  expect(from + 0.9 * (until - from)).toBeCloseTo(160);
  expect(from + 0.1 * (until - from)).toBeCloseTo(130);
});

it("one finger moves the visible range, up to its ends", () => {
  const span = { from: 140, until: 160 };
  expect(spanUnderFingers(span, [0.5], [0.25], WHOLE)).toEqual({ from: 145, until: 165 });
  expect(spanUnderFingers(span, [0], [9], WHOLE)).toEqual({ from: 100, until: 120 });
  expect(spanUnderFingers(span, [9], [0], WHOLE)).toEqual({ from: 180, until: 200 });
  expect(spanUnderFingers(WHOLE, [0.5], [0.25], WHOLE)).toEqual(WHOLE);
});

it("fingers that come together show no more than the whole, and fingers at one place are no division by 0", () => {
  expect(spanUnderFingers({ from: 140, until: 160 }, [0.1, 0.9], [0.5, 0.55], WHOLE)).toEqual(WHOLE);
  expect(spanUnderFingers(WHOLE, [0.5, 0.5], [0.5, 0.5], WHOLE)).toEqual(WHOLE);
});
