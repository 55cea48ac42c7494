import { describe, expect, it } from "vitest";
import { MAX_SPAN_MS } from "../../../../src/features/flight/contract.ts";
import { RunStates } from "../../../../src/features/flight/host/run-states.ts";

const SPAN_NS = BigInt(MAX_SPAN_MS) * 1_000_000n;

const process = (name: string, extinct = false) => ({
  name,
  run_id: "1-1",
  pid: 100,
  ready: false,
  stopping: false,
  extinct,
  exit: null,
  rows: 24,
  cols: 80,
});

const shown = (states: RunStates, time: bigint) =>
  states.before(time).map(({ payload }) => (JSON.parse(Buffer.from(payload).toString()) as { name: string; kind: string }).name);

describe("states of runs over time", () => {
  it("a part begins with the processes that ran at its first moment", () => {
    const states = new RunStates();
    states.changed(10n, process("a"));
    states.changed(20n, process("b"));
    states.changed(30n, process("a", true));
    expect(shown(states, 10n)).toEqual([]);
    expect(shown(states, 15n)).toEqual(["a"]);
    expect(shown(states, 25n)).toEqual(["a", "b"]);
    expect(shown(states, 35n)).toEqual(["b"]);
    expect(states.before(25n)[0]).toMatchObject({ topic: "mgr/processes", received: 25n });
  });

  it("keeps the newest state of each process from before anything was recorded", () => {
    const states = new RunStates();
    states.changed(0n, process("a"));
    states.changed(0n, process("b"));
    states.changed(0n, process("b", true));
    states.changed(20n, process("c"));
    expect(shown(states, 10n)).toEqual(["a"]);
    expect(shown(states, 30n)).toEqual(["a", "c"]);
  });

  it("forgets a process that has ended once no part can begin before its end, and no other", () => {
    const states = new RunStates();
    for (const name of ["ended", "again", "running"]) states.changed(1n, process(name));
    states.changed(10n, process("ended", true));
    states.changed(10n, process("again", true));
    states.changed(20n, process("again"));
    states.changed(10n + SPAN_NS, process("other"));
    expect(shown(states, 5n)).toEqual(["ended", "again", "running"]);
    states.changed(11n + SPAN_NS, process("other"));
    expect(shown(states, 5n)).toEqual(["again", "running"]);
    expect(shown(states, 30n + SPAN_NS)).toEqual(["again", "running", "other"]);
  });
});
