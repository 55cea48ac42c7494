import { expect, test } from "vitest";
import { changeLine, changeOf } from "../../../../src/features/replicas/cli/scale.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

/** Every place that prints untrusted text, and what it prints; lines about processes are those of `mgr start`. */
const PLACES: Places = { "mgr scale": (text) => changeLine({ name: text, before: 1, count: 2 }) };

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = { "src/features/replicas/cli/scale.ts": 2 };

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/replicas")).toEqual(WRITES);
});

test("mgr scale takes NAME=COUNT of processes with replicas only", () => {
  const sets = [{ name: "sim/worker", count: 2, configured: 3 }];
  expect(changeOf("sim/worker=5", sets)).toEqual({ name: "sim/worker", before: 2, count: 5 });
  for (const word of ["sim/worker", "=5", "sim/worker=0", "sim/worker=101", "sim/worker=1.5", "sim/worker="])
    expect(() => changeOf(word, sets), word).toThrow(`'${word}' must be NAME=COUNT with a whole number from 1 to 100`);
  expect(() => changeOf("sim/worke=2", sets)).toThrow("no process 'sim/worke' with replicas; did you mean 'sim/worker'?");
  expect(() => changeOf("db=2", [])).toThrow("no process has 'replicas' in the configuration");
});
