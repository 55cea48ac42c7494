import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuRanges } from "../../../../src/base/cpu-mask.ts";
import { TaskFilter } from "../../../../src/features/process-list/task-filter.ts";
import type { TaskColumn, TaskRow } from "../../../../src/features/process-list/wire.ts";
import { clampText, cpuList, filterTasks, inOrder, parseTaskQuery } from "../../../../web/src/features/process-list/task-query.ts";

describe("text that is typed into the filter", () => {
  test.each([
    ["cpu>5", "cpu_percent:>:5", []],
    ["user=root Node", "user:==:root", ["node"]],
    ['name~"a b" "two words"', "name:~:a b", ["two words"]],
    ["mem>=1.5M rss<2k", "memory_rss:>=:1572864\0memory_rss:<:2048", []],
    ["--listen=8080 a:b pid", "", ["--listen=8080", "a:b", "pid"]],
    ["process!=", "process:!=:", []],
    ["command!~x:y:z", "command:!~:x:y:z", []],
    ["  ", "", []],
    ['"unfinished', "", ["unfinished"]],
    ["constructor==1", "", ["constructor==1"]],
  ])("%j", (text, filter, words) => {
    expect(parseTaskQuery(text)).toEqual({ filter, words });
  });

  test("names only columns that hosts know", () => {
    for (const key of ["cpu", "mem", "pid", "tid", "env", "prio", "cpus", "started", "time", "cmd", "policy"])
      expect(() => new TaskFilter(parseTaskQuery(`${key}==1`).filter)).not.toThrow();
  });
});

const columns = ["pid", "tid", "name", "user"].map((name): TaskColumn => ({ name, label: name, type: "string", align: "left" }));
const rowOf = (pid: number, tid: number, name: string, user: string | null): TaskRow => ({
  key: `${pid}:${tid}`,
  process: null,
  cells: [pid, tid, name, user].map((raw) => ({ raw, formatted: String(raw ?? "") })),
});

test("numbers are ordered as numbers, text as text, missing values come last, and equal rows keep their order", () => {
  const rows = [rowOf(10, 10, "b", null), rowOf(9, 12, "a", "x"), rowOf(9, 9, "a", "y"), rowOf(100, 100, "a", "x")];
  const keys = (column: string, descending: boolean) => inOrder(rows, columns, { column, descending }).map(({ key }) => key);
  expect(keys("pid", false)).toEqual(["9:9", "9:12", "10:10", "100:100"]);
  expect(keys("pid", true)).toEqual(["100:100", "10:10", "9:9", "9:12"]);
  expect(keys("name", true)).toEqual(["10:10", "9:9", "9:12", "100:100"]);
  expect(keys("user", false)).toEqual(["9:12", "100:100", "9:9", "10:10"]);
  expect(keys("user", true)).toEqual(["9:9", "9:12", "100:100", "10:10"]);
});

test("every word has to occur somewhere in a row", () => {
  const rows = [rowOf(1, 1, "init", "root"), rowOf(2, 2, "shell", "ada")];
  expect(filterTasks(rows, parseTaskQuery("SHE a"))).toEqual([rows[1]]);
  expect(filterTasks(rows, parseTaskQuery("init ada"))).toEqual([]);
});

describe("CPUs", () => {
  test.each([
    ["0-3,6", "0,1,2,3,6"],
    [" 1 , 0 ", "0,1"],
    ["2-2,2", "2"],
    ["", null],
    ["3-1", null],
    ["a", null],
    ["0,,1", null],
    ["0-99999", null],
  ])("%j", (text, list) => {
    expect(cpuList(text)).toBe(list);
  });

  test("any list is parsed back to itself", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 8_191 }), { minLength: 1 }), (cpus) => {
        expect(cpuList(cpus.join(","))).toBe([...cpus].sort((a, b) => a - b).join(","));
      }),
    );
  });
});

test("CPUs that the machine does not have are reported", () => {
  expect(cpuRanges("0,1,2,3,6")).toBe("0-3,6");
  expect(clampText("0,1,2,3", "0,1")).toBe("CPUs 0-3: this machine has 0-1");
  expect(clampText("0,1", "0,1")).toBeNull();
});
