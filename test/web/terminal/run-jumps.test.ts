import { expect, test } from "vitest";
import { RunJumps } from "../../../web/src/terminal/places/run-jumps.ts";

const rule = (line: number, isDisposed = false) => ({ line, isDisposed });
const jumps = (...rules: ReturnType<typeof rule>[]) => {
  const made = new RunJumps();
  for (const each of rules) made.add(each);
  return made;
};

test("a jump leads to the beginning of the run before or after the top of the screen", () => {
  const made = jumps(rule(9), rule(19));
  expect([made.previous(25), made.previous(20), made.previous(10), made.previous(0)]).toEqual([20, 10, 0, null]);
  expect([made.next(0), made.next(10), made.next(15), made.next(20)]).toEqual([10, 20, 20, null]);
});

test("rules that were cleared are no places to jump to, and are forgotten", () => {
  const cleared = rule(9, true);
  const made = jumps(cleared, rule(19));
  expect([made.next(0), made.previous(20)]).toEqual([20, 0]);
});
