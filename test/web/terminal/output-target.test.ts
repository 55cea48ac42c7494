import { expect, test } from "vitest";
import { findTarget, parseTarget, rowsOf, textOfTarget } from "../../../web/src/terminal/places/output-target.ts";

const OUTPUT = "one\r\nzwei ä\r\nthree\r\n";
const BYTES = Buffer.byteLength(OUTPUT);
const END = 1_000;
const START = END - BYTES;
const backlog = { output: OUTPUT, offset: END, stream_id: "s1" };
const time = (second: number) => `2026-11-22T14:30:0${second}.000`;

test("an offset is found in its line, also behind characters of several bytes", () => {
  const found = (offset: number) => findTarget(backlog, { offset, stream_id: "s1" });
  expect(found(START)).toEqual({ index: 0, note: null });
  expect(found(START + 3)).toEqual({ index: 0, note: null });
  expect(found(START + 5)).toEqual({ index: 5, note: null });
  expect(found(END - 7)).toEqual({ index: OUTPUT.indexOf("three"), note: null });
  expect(found(END - 5)).toEqual({ index: OUTPUT.indexOf("three"), note: null });
});

test("a line that was replaced by newer output, and one of an earlier daemon, are not found, and the note says why", () => {
  expect(findTarget(backlog, { offset: START - 1, stream_id: "s1" })).toMatchObject({
    index: null,
    note: expect.stringMatching(/not in memory any more/),
  });
  expect(findTarget(backlog, { offset: START, stream_id: "s0" })).toMatchObject({
    index: null,
    note: expect.stringMatching(/daemon of its host was started again/),
  });
});

test("a time is found at the output that was written last until then", () => {
  const times = [
    { offset: START, time: time(1) },
    { offset: START + 7, time: time(3) },
    { offset: END - 7, time: time(5) },
  ];
  const found = (second: number) => findTarget({ ...backlog, times }, { time: time(second) });
  expect(found(1)).toEqual({ index: 0, note: null });
  expect(found(2)).toEqual({ index: 0, note: null });
  expect(found(4)).toEqual({ index: 5, note: null });
  expect(found(9)).toEqual({ index: OUTPUT.indexOf("three"), note: null });
  expect(found(0)).toMatchObject({ index: 0, note: expect.stringMatching(/This is the oldest/) });
  expect(findTarget(backlog, { time: time(1) })).toMatchObject({ index: null, note: expect.stringMatching(/not known/) });
  expect(findTarget({ ...backlog, output: "" }, { time: time(1) })).toMatchObject({
    index: null,
    note: expect.stringMatching(/no output/),
  });
});

test("a terminal gets as many rows as the lines need, and no more than it can hold", () => {
  expect(rowsOf("one\r\n0123456789\n", 4)).toBe(5);
  expect(rowsOf("\n".repeat(60_000), 80)).toBeNull();
});

test("an address keeps both kinds of places, and ignores anything else", () => {
  for (const target of [{ time: time(1) }, { offset: 17, stream_id: "a@b" }]) expect(parseTarget(textOfTarget(target))).toEqual(target);
  for (const text of ["", "now", "-1@s", "1@", "1e3@s", "2026-11-22"]) expect(parseTarget(text)).toBeNull();
});
