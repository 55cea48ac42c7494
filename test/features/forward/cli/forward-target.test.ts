import { expect, test } from "vitest";
import { parseForwardTarget } from "../../../../src/features/forward/cli/forward-target.ts";
import { forwardsText } from "../../../../src/features/forward/cli/forwards.ts";
import type { Forward } from "../../../../src/features/forward/wire.ts";

test("a target has an optional local port, which is that of the host by default", () => {
  expect(parseForwardTarget("bench:5432")).toEqual({ localPort: 5_432, host: "bench", port: 5_432 });
  expect(parseForwardTarget("15432:bench:5432")).toEqual({ localPort: 15_432, host: "bench", port: 5_432 });
  expect(parseForwardTarget("0:10.0.0.2:22")).toEqual({ localPort: 0, host: "10.0.0.2", port: 22 });
});

test.each(["bench", "bench:", ":5432", "bench:0", "bench:65536", "70000:bench:22", "a:b:c:22", "bench:22 ", ""])(
  "the target '%s' is refused with its form",
  (text) => {
    expect(() => parseForwardTarget(text)).toThrow(/\[LOCAL_PORT:\]HOST:PORT/);
  },
);

const FORWARD: Forward = {
  id: "4f2a",
  user: "ann",
  address: null,
  host: "bench",
  port: 5_432,
  opened: "2026-11-21T08:14:02.000",
  host_ready: true,
  connections: 1,
  total_connections: 3,
  received: 2_048,
  sent: 0,
  problem: null,
};

test("the list shows bytes and state of each forward", () => {
  expect(forwardsText([])).toBe("no forward is open");
  const lost = { ...FORWARD, id: "b", host_ready: false };
  const failed = { ...FORWARD, id: "c", problem: "no program listens at 127.0.0.1:5432" };
  const lines = forwardsText([FORWARD, lost, failed], 500).split("\n");
  expect(lines[1]).toMatch(/4f2a +bench:5432 +ann +this machine .* 1 of 3 +2\.0 kB +0 B +in use/);
  expect(lines[2]).toMatch(/the host is not connected/);
  expect(lines[3]).toMatch(/last connection: no program listens/);
});
