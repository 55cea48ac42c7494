import { describe, expect, it } from "vitest";
import { AcceptedStops } from "../../../src/app/hosts/accepted-stops.ts";
import type { RunReport } from "../../../src/contract/run.ts";
import { report } from "../../support/fakes/run-reports.ts";

const steps = [{ signal: "SIGTERM", timeout_ms: 1_000 }];
const EXIT = { code: 0, signal: null, reason: null };
const table = (...runs: RunReport[]) => new Map(runs.map((run) => [run.name, run]));

describe("stops that a host has accepted without an event", () => {
  it("show in earlier reports of the run, with their cause, until it ends", () => {
    const stops = new AcceptedStops();
    const [plain, failed, other] = ["1-1", "1-2", "1-3"].map((id) => report(id, { name: id })) as [RunReport, RunReport, RunReport];
    const cause = { reason: "it does not answer", recycled: false };
    stops.accepted({ run_id: "1-1", steps }, table(plain, failed, other));
    stops.accepted({ run_id: "1-2", steps, cause }, table(plain, failed, other));
    expect(stops.applied(plain)).toEqual({ ...plain, stopping: true });
    expect(stops.applied(failed)).toEqual({ ...failed, stopping: true, stop_cause: cause });
    expect(stops.applied(other)).toBe(other);
    const ended = { ...plain, exit: EXIT };
    expect(stops.applied(ended)).toBe(ended);
    stops.ended(ended);
    expect(stops.applied(plain)).toBe(plain);
  });

  it("are kept for living runs of a new table, and for no more than there are runs", () => {
    const stops = new AcceptedStops();
    const [first, second] = [report("1-1", { name: "a" }), report("1-2", { name: "b" })];
    for (const { run_id } of [first, second]) stops.accepted({ run_id, steps }, table(first, second));
    stops.keep([{ ...first, exit: EXIT }, second]);
    expect(stops.applied(first)).toBe(first);
    expect(stops.applied(second)).toMatchObject({ stopping: true });
    // Answers that come after the ends of their runs.
    for (const run_id of ["1-3", "1-4"]) stops.accepted({ run_id, steps }, table(first, second));
    expect(stops.applied(report("1-3"))).toMatchObject({ stopping: false });
    expect(stops.applied(second)).toMatchObject({ stopping: true });
  });
});
