import { expect, test } from "vitest";
import { partOfAddress, partParameters } from "../../../../web/src/features/flight/incident-address.ts";
import { within } from "../../../../web/src/features/flight/timeline/axis.ts";

test("an address has the moment, the span, the terminal and the plotted fields of an incident", () => {
  const part = {
    moment: 1_790_000_000.25,
    span: { from: 1_790_000_000, until: 1_790_000_010.5 },
    terminal: "sim/camera",
    traces: [
      { topic: "arm/state", field: "torque[2]" },
      { topic: "odd:name%", field: "" },
    ],
  };
  const address = `?${new URLSearchParams([["incident", "one"], ...partParameters(part)])}`;
  expect(partOfAddress(address)).toEqual(part);
  expect(partParameters(partOfAddress("?incident=one"))).toEqual([]);
});

test("what an address says wrongly, or too much, is left out", () => {
  expect(partOfAddress("?moment=soon&span=2000-1000&field=nofield&field=%25:x")).toEqual({
    moment: null,
    span: null,
    terminal: null,
    traces: [],
  });
  const many = Array.from({ length: 30 }, (_, n) => `field=a:f${n}`).join("&");
  expect(partOfAddress(`?span=1000&${many}`)).toMatchObject({ span: null, traces: { length: 20 } });
});

test("a span of an address is shown as far as it is within the incident", () => {
  const whole = { from: 100, until: 200 };
  expect(within({ from: 50, until: 150 }, whole)).toEqual({ from: 100, until: 150 });
  expect(within({ from: 1, until: 2 }, whole)).toBe(whole);
});
