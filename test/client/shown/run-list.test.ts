import { describe, expect, test } from "vitest";
import { causesOfRuns, type ListedChange } from "../../../src/client/shown/run-causes.ts";
import { endText, type PastRun, shownRuns } from "../../../src/client/shown/run-list.ts";

const at = (second: number) => new Date(Date.UTC(2026, 10, 26, 8, 0, 0) + second * 1_000).toISOString().slice(0, -1);

function run(number: number, start: number, changes: Partial<PastRun> = {}): PastRun {
  const ended = { stop_time: at(start + 5), code: 0, signal: null, reason: null };
  return { number, run_id: `1-${number}`, pid: 100 + number, start_time: at(start), output_end: null, ...ended, ...changes };
}

const change = (second: number, from: string | null, to: string, by: string | null = null): ListedChange => ({
  ts: at(second),
  from,
  to,
  by,
});

describe("the causes of runs", () => {
  test("a crash, a restart by the policy, a crash loop", () => {
    const changes = [
      change(0, "stopped", "starting", "ann"),
      change(0, "starting", "started"),
      change(5, "started", "backoff"),
      change(10, "backoff", "starting"),
      change(10, "starting", "started"),
      change(15, "started", "error"),
    ];
    const causes = causesOfRuns([run(2, 10), run(1, 0)], changes);
    expect([causes.get(1), causes.get(2)]).toEqual([
      { end: "crashed", next: "started again by the restart policy" },
      { end: "crashed", next: null },
    ]);
  });

  test("a run that has just crashed says that the policy starts it again, until a user stops that", () => {
    const changes = [change(0, "stopped", "starting", "ann"), change(0, "starting", "started"), change(5, "started", "backoff")];
    expect(causesOfRuns([run(1, 0)], changes).get(1)?.next).toBe("is started again by the restart policy");
    expect(causesOfRuns([run(1, 0)], [...changes, change(6, "backoff", "stopped", "ann")]).get(1)).toEqual({ end: "crashed", next: null });
  });

  test("a user's restart, stop and start are named", () => {
    const changes = [
      change(0, "stopped", "starting"),
      change(5, "ready", "stopping", "bob"),
      change(6, "stopping", "starting", "bob"),
      change(11, "started", "stopping", "bob"),
      change(12, "stopping", "stopped", "bob"),
      change(60, "stopped", "starting", "ann"),
      change(61, "starting", "stopped"),
    ];
    const causes = causesOfRuns([run(3, 60), run(2, 6), run(1, 0)], changes);
    expect([1, 2, 3].map((number) => causes.get(number))).toEqual([
      { end: "restarted by bob", next: null },
      { end: "stopped by bob", next: "started by ann" },
      { end: "completed", next: null },
    ]);
  });

  test("runs that the log does not have any more have no cause, and a start at another time is not that of a run", () => {
    const changes = [change(100, "stopped", "starting"), change(105, "started", "stopped")];
    const causes = causesOfRuns([run(3, 100), run(2, 50)], changes);
    expect([causes.get(3)?.end, causes.get(2)]).toEqual(["completed", undefined]);
    expect(causesOfRuns([run(1, 1_000)], changes).size).toBe(0);
  });
});

describe("the list of runs", () => {
  const end = (offset: number, stream_id = "s") => ({ offset, stream_id });
  const history = [
    run(4, 40, { stop_time: null, code: null }),
    run(3, 30, { output_end: end(90) }),
    run(2, 20, { output_end: end(40, "earlier"), code: null, signal: "SIGKILL" }),
    run(1, 0, { output_end: end(10, "earlier"), code: 3 }),
  ];
  const listed = shownRuns({ history, changes: [change(0, "stopped", "starting"), change(5, "started", "backoff")] }, at(43));

  test("has the length of each run; that of the newest one grows", () => {
    expect(listed.map(({ lengthMs }) => lengthMs)).toEqual([3_000, 5_000, 5_000, 5_000]);
  });

  test("has the output of a run where both of its ends are known in one stream", () => {
    expect(listed.map(({ outputBytes }) => outputBytes)).toEqual([null, null, 30, 10]);
  });

  test("says how each run ended, with its cause if that is known", () => {
    expect(listed.map(endText)).toEqual([null, "exit code 0", "ended by SIGKILL", "exit code 3"]);
    const one = shownRuns(
      { history: [run(1, 0, { code: 3 })], changes: [change(0, "stopped", "starting"), change(5, "started", "backoff")] },
      at(9),
    );
    expect(one.map(endText)).toEqual(["exit code 3 (crashed)"]);
  });
});
