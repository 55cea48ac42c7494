import { expect, test } from "vitest";
import { hostRemark } from "../../../src/client/shown/host-remark.ts";
import type { HostEntry } from "../../../src/protocol/resources/resources.ts";

const at = (timestamp: string) => timestamp.slice(11, 16);
const entry: HostEntry = {
  name: "rt1",
  aliases: [],
  node_aliases: [],
  all_names: ["rt1"],
  daemon_ready: true,
  state: "ready",
  problem: null,
  lost_time: null,
  version: null,
  clock_offset: 0,
};
const alone = { from: "2026-11-26T14:02:00.000", until: "2026-11-26T14:09:00.000", restarts: 3 };

test("a host that is lost, or was without a manager and restarted something, has a remark", () => {
  expect(hostRemark(entry, at)).toBeNull();
  expect(hostRemark({ ...entry, alone: { ...alone, restarts: 0 } }, at)).toBeNull();
  expect(hostRemark({ ...entry, alone }, at)).toBe("3 restarts while disconnected 14:02 to 14:09");
  expect(hostRemark({ ...entry, alone: { ...alone, restarts: 1 } }, at)).toBe("1 restart while disconnected 14:02 to 14:09");
  const resumed = { time: alone.from, processes: 2, after: "boot" as const };
  expect(hostRemark({ ...entry, alone: { ...alone, resumed } }, at)).toBe(
    "2 processes resumed after a boot at 14:02, 3 restarts while disconnected 14:02 to 14:09",
  );
  expect(hostRemark({ ...entry, alone: { ...alone, restarts: 0, resumed: { ...resumed, processes: 1, after: "daemon" } } }, at)).toBe(
    "1 process resumed after a restart of its daemon at 14:02",
  );
  const lost = { ...entry, daemon_ready: false, state: "lost" as const };
  expect(hostRemark(lost, at)).toBeNull();
  expect(hostRemark({ ...lost, lost_time: alone.from }, at)).toBe("since 14:02 it restarts its processes by itself");
});
