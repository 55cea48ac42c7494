import { expect, test } from "vitest";
import { scheduleCli } from "../../../../src/features/schedule/cli/index.ts";
import { periodText, timesText } from "../../../../src/features/schedule/client/schedule-text.ts";
import type { ScheduleState } from "../../../../src/features/schedule/wire.ts";
import type { Process, Snapshot } from "../../../../src/protocol/resources/resources.ts";
import { DAILY } from "../fake-schedules.ts";

const snapshotOf = (...schedules: ScheduleState[]) => ({ schedules }) as unknown as Snapshot;
const row = (name: string) => ({ name }) as Process;

/** The cells of the columns for a process. */
function cells(name: string, ...schedules: ScheduleState[]): string[] {
  const { columns = [] } = scheduleCli.snapshotFigures?.(snapshotOf(...schedules)) ?? {};
  return columns.map(({ text }) => text(row(name)));
}

test("mgr ps shows when a process starts next and started last, that its schedule is paused, and that a run waits", () => {
  expect(cells(DAILY.name, DAILY)).toEqual([
    expect.stringMatching(/^2026-11-2\d \d\d:00$/),
    expect.stringMatching(/^2026-11-2\d \d\d:00$/),
  ]);
  expect(cells(DAILY.name, { ...DAILY, paused: true, next_run: null, last_run: null })).toEqual(["paused", "-"]);
  expect(cells(DAILY.name, { ...DAILY, pending: true })[0]).toBe("pending");
  expect(cells("db", DAILY)).toEqual(["-", "-"]);
});

test("without schedules mgr ps has no such columns; its JSON has the field always", () => {
  const figures = scheduleCli.snapshotFigures?.(snapshotOf());
  expect(figures?.columns).toEqual([]);
  expect(figures?.json(row("db"))).toEqual({ schedule: null });
  expect(scheduleCli.snapshotFigures?.(snapshotOf(DAILY)).json(row(DAILY.name))).toEqual({ schedule: DAILY });
});

test("mgr ps says which runs were left out, and why", () => {
  const skipped = { count: 3, at: "2026-11-21T02:00:00.000", reason: "the run before has not ended" };
  const remarks = scheduleCli.processRemarks?.(snapshotOf({ ...DAILY, skipped }, { ...DAILY, name: "db" }));
  expect([...(remarks ?? [])]).toEqual([
    [DAILY.name, expect.stringMatching(/^3 runs skipped, the last at .*: the run before has not ended$/)],
  ]);
});

test("the times of a schedule are written as in the configuration", () => {
  expect(timesText(DAILY)).toBe("cron 0 3 * * * (Europe/Berlin)");
  expect(timesText({ cron: null, timezone: null, every_ms: 90_000 })).toBe("every 1m30s");
  expect([3_600_000, 1_500].map(periodText)).toEqual(["1h", "1s500ms"]);
});
