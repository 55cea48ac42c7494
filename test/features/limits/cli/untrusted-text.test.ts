import { expect, test } from "vitest";
import { limitsCli } from "../../../../src/features/limits/cli/index.ts";
import { limitsText } from "../../../../src/features/limits/cli/limits.ts";
import type { LimitState } from "../../../../src/features/limits/wire.ts";
import type { Snapshot } from "../../../../src/protocol/resources/resources.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";
import { RESTARTED } from "../fake-limits.ts";

const stateOf = (text: string): LimitState => ({ ...RESTARTED, name: text, host: text, cgroup_problem: text });

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr limits": (text) => limitsText([stateOf(text)]),
  "mgr ps": (text) => [...(limitsCli.processRemarks?.({ limits: [stateOf(text)] } as Snapshot) ?? [])].map(([, remark]) => remark).join(),
};

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  "src/features/limits/cli/limits.ts": 1,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/limits")).toEqual(WRITES);
});

test("mgr limits has a row for each limit and for a problem of the cgroup", () => {
  const lines = limitsText([{ ...RESTARTED, cgroup_problem: "memory_max cannot be set" }]).split("\n");
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(/^NAME +HOST +REASON$/);
  expect(lines[1]).toMatch(/^sim\/world +testhost +memory 2\.10 GiB, over 2\.00 GiB for 31 s \(restarted at .*\d\d:\d\d.*, 2 times\)$/);
  expect(lines[2]).toMatch(/CPU 152 %, over 150 % for 1 min 0 s \(since /);
  expect(lines[3]).toMatch(/memory_max cannot be set$/);
  expect(limitsText([])).toBe("no process has reached a limit");
});
