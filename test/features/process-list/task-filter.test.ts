import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TaskCell } from "../../../src/features/process-list/contract.ts";
import { TASK_COLUMNS, type TaskColumnName } from "../../../src/features/process-list/task-columns.ts";
import { FILTER_OPERATORS, isTextColumn, TaskFilter } from "../../../src/features/process-list/task-filter.ts";

const accepts = (filter: string, cells: Partial<Record<TaskColumnName, TaskCell>>) =>
  new TaskFilter(filter).accepts((key) => cells[key] ?? null);

describe("items", () => {
  test.each([
    ["pid:==:7", true],
    ["pid:!=:7", false],
    ["pid:<:7", false],
    ["pid:<=:7", true],
    ["pid:>:6.5", true],
    ["pid:>=:8", false],
    ["pid:~:7", true],
    ["pid:!~:7", false],
    ["command:==:/bin/SH -c a:b", false],
    ["command:==:/bin/sh -c a:b", true],
    ["command:~:SH -C A:B", true],
    ["command:!~:bash", true],
    ["command:>:/bin/bash", true],
    ["command:~:", true],
    ["policy:==:fifo", true],
    ["policy:!=:FIFO", false],
    ["policy:==:1", true],
    ["process:==:", true],
    ["process:!=:", false],
    ["process:!~:x", true],
    ["pid:==:7\0policy:==:RR", false],
    ["pid:==:7\0command:~:sh\0", true],
    ["", true],
  ])("%j", (filter, accepted) => {
    expect(accepts(filter, { pid: 7, command: "/bin/sh -c a:b", policy: 1, process: null })).toBe(accepted);
  });

  test.each(["pid", "pid:7", "pid:=:7", "nothing:==:7", "__proto__:==:7", "pid:==:", "pid:==:seven", "pid:<:NaN", ":==:7", "pid:==7"])(
    "%j is refused",
    (filter) => {
      expect(() => new TaskFilter(filter)).toThrow(expect.objectContaining({ code: "bad_field" }));
    },
  );
});

test("all items have to match, whatever they are; text is taken literally", () => {
  const value = fc.string({ maxLength: 12 }).filter((text) => !text.includes("\0"));
  const item = fc.tuple(fc.constantFrom(...TASK_COLUMNS), fc.constantFrom(...FILTER_OPERATORS), value, fc.integer());
  fc.assert(
    fc.property(fc.array(item, { maxLength: 5 }), value, fc.integer(), (items, text, number) => {
      const written = items.map(([key, operator, word, digits]) => `${key}:${operator}:${isTextColumn(key) ? word : digits}`);
      const cell = (key: TaskColumnName) => (isTextColumn(key) ? text : number);
      const each = written.map((one) => new TaskFilter(one).accepts(cell));
      expect(new TaskFilter(written.join("\0")).accepts(cell)).toBe(each.every(Boolean));
      items.forEach(([key, operator, word, digits], index) => {
        if (operator === "==") expect(each[index]).toBe(isTextColumn(key) ? word === text : digits === number);
      });
    }),
  );
});

test("any text is either a filter or refused", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        new TaskFilter(text).accepts(() => null);
      } catch (error) {
        expect(error).toMatchObject({ code: "bad_field" });
      }
    }),
  );
});
