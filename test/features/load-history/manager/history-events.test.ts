import { expect, test } from "vitest";
import { type EventSelection, eventsOf, wantedNames } from "../../../../src/features/load-history/manager/history-events.ts";
import { LogBook, type LogInput } from "../../../../src/log/log-book.ts";

const time = (minute: number) => `2026-11-21T08:${String(minute).padStart(2, "0")}:00.000`;

/** A log with an entry for each minute. */
function log(entries: readonly Partial<LogInput>[]): LogBook {
  let minute = -1;
  const book = new LogBook({ capacity: 100, now: () => Date.parse(`${time(minute)}Z`) });
  for (const entry of entries) {
    minute++;
    book.append({ level: "info", source: "manager", msg: `entry ${minute}`, ...entry });
  }
  return book;
}

type Change = NonNullable<LogInput["change"]>;
const change = (process: string, from: Change["from"], to: Change["to"], reason: string | null = null) => ({
  change: { process, from, to, by: null, reason },
});
const everything: EventSelection = {
  ...{ from: time(0), until: time(59), limit: 100, kinds: undefined, process: null },
  isWanted: () => true,
};

test("failures, restarts, commands and changes of the configuration are told apart; other entries of the log are no events", () => {
  const book = log([
    change("a", null, "started"),
    { msg: "something else" },
    { action: { kind: "command", by: "eve", name: "a" } },
    { action: { kind: "configuration", by: "eve", name: null } },
    change("a", "started", "backoff", "exit code 3"),
    change("a", "backoff", "starting"),
    change("a", "starting", "error"),
  ]);
  const { events, left_out } = eventsOf(book.newestFirst(), everything);
  expect(events.map(({ ts, kind, name }) => [ts, kind, name])).toEqual([
    [time(0), "state", "a"],
    [time(2), "command", "a"],
    [time(3), "configuration", null],
    [time(4), "crash", "a"],
    [time(5), "restart", "a"],
    [time(6), "crash", "a"],
  ]);
  expect(events[3]?.text).toBe("entry 4: exit code 3");
  expect(left_out).toBe(0);
});

test("the newest events of a range are answered up to the limit, and the others are counted", () => {
  const book = log(Array.from({ length: 10 }, () => change("a", "starting", "started")));
  const { events, left_out } = eventsOf(book.newestFirst(), { ...everything, from: time(2), until: time(7), limit: 2 });
  expect(events.map(({ ts }) => ts)).toEqual([time(6), time(7)]);
  expect(left_out).toBe(4);
});

test("the states of one process begin with the one that it had before the range", () => {
  const book = log([
    change("a", "stopped", "starting"),
    change("a", "starting", "started"),
    change("b", "stopped", "starting"),
    { action: { kind: "command", by: "eve", name: "a" } },
    change("a", "started", "stopping"),
  ]);
  const selection = {
    ...everything,
    from: time(4),
    process: "a",
    isWanted: wantedNames({ name: "a", isOnHost: () => true }, { kind: "full" }),
  };
  const kinds = (selected: EventSelection) => eventsOf(book.newestFirst(), selected).events.map(({ ts }) => ts);
  expect(kinds(selection)).toEqual([time(1), time(4)]);
  expect(kinds({ ...selection, kinds: ["crash", "command"] })).toEqual([]);
});

test("a command to a group is one to its members; a focused connection sees what is in view only", () => {
  const all = { name: undefined, isOnHost: () => true };
  const ofProcess = wantedNames({ ...all, name: "sim/world" }, { kind: "full" });
  expect(["sim", "sim/world", "sim/other", "simulator"].filter(ofProcess)).toEqual(["sim", "sim/world"]);
  expect(ofProcess(null)).toBe(true);
  const focused = wantedNames(all, { kind: "single_group", name: "sim" });
  expect(["sim", "sim/world", "arm"].filter(focused)).toEqual(["sim", "sim/world"]);
  expect(focused(null)).toBe(false);
  const ofHost = wantedNames({ ...all, isOnHost: (name) => name === "arm" }, { kind: "full" });
  expect(["sim", "arm"].filter(ofHost)).toEqual(["arm"]);
});
