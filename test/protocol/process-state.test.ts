import { describe, expect, it } from "vitest";
import { groupState, PROCESS_STATES, type ProcessState } from "../../src/protocol/resources/resources.ts";

const WORST_FIRST: ProcessState[] = ["error", "backoff", "stopping", "starting", "waiting", "started", "ready", "stopped"];

describe("groupState", () => {
  it("is that of the worst member, whatever the order of the members", () => {
    expect([...PROCESS_STATES].sort()).toEqual([...WORST_FIRST].sort());
    for (const [index, worse] of WORST_FIRST.entries()) {
      for (const better of WORST_FIRST.slice(index)) {
        expect(groupState([worse, better])).toBe(worse);
        expect(groupState([better, worse])).toBe(worse);
      }
    }
  });

  it("of ready and stopped members is ready", () => {
    expect(groupState(["stopped", "ready", "stopped"])).toBe("ready");
  });

  it("of no members is stopped", () => {
    expect(groupState([])).toBe("stopped");
  });
});
