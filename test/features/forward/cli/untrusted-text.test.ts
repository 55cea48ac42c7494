import { expect, test } from "vitest";
import { forwardsText } from "../../../../src/features/forward/cli/forwards.ts";
import type { Forward } from "../../../../src/features/forward/wire.ts";
import { describeUntrustedText, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

const forward: Forward = {
  id: "1",
  user: "ada",
  address: null,
  host: "rt1",
  port: 5_432,
  opened: "2026-11-21T08:14:02.123",
  host_ready: true,
  connections: 1,
  total_connections: 2,
  received: 10,
  sent: 20,
  problem: null,
};

/** Every place that prints untrusted text, and what it prints. The lines of `mgr forward` are escaped where they are made. */
describeUntrustedText({
  "mgr forwards, a user": (text) => forwardsText([{ ...forward, user: text }], Number.POSITIVE_INFINITY),
  "mgr forwards, a host": (text) => forwardsText([{ ...forward, host: text }], Number.POSITIVE_INFINITY),
  "mgr forwards, a problem": (text) => forwardsText([{ ...forward, problem: text }], Number.POSITIVE_INFINITY),
});

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = { "src/features/forward/cli/forward.ts": 1, "src/features/forward/cli/forwards.ts": 2 };

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/forward")).toEqual(WRITES);
});
