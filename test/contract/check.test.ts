import { describe, expect, test } from "vitest";
import { conforms, frameConforms, TABLES } from "./check.ts";
import { exampleOfFields, wrongValuesOf } from "./examples.ts";
import type { FieldType } from "./field-types.ts";
import { MANAGER_FRAMES } from "./manager-frames.ts";

const isOptional = (type: FieldType) => typeof type === "object" && type.kind === "optional";

describe("the checker of the tables", () => {
  test.each(Object.entries(TABLES))(
    "accepts an example of '%s', and names each field that is missing, wrong or unheard of",
    (name, fields) => {
      const example = exampleOfFields(fields);
      expect(conforms(name, example)).toEqual([]);
      expect(conforms(name, { ...example, unheard_of: 1 })).toEqual([`${name}.unheard_of: no table has this field`]);
      for (const [field, type] of Object.entries(fields)) {
        const { [field]: _left, ...rest } = example;
        expect(conforms(name, rest)).toEqual(isOptional(type) ? [] : [`${name}.${field}: the field is missing`]);
        for (const wrong of wrongValuesOf(type)) {
          const problems = conforms(name, { ...example, [field]: wrong });
          expect(problems, `${field}: ${JSON.stringify(wrong)}`).not.toEqual([]);
          expect(problems.every((problem) => problem.startsWith(`${name}.${field}`))).toBe(true);
        }
      }
    },
  );

  test("reports where in a nested object the problem is", () => {
    const node = { type: "group", name: "a", display_name: "a", opened: true, state: "ready", children: [{ type: "process", nam: "b" }] };
    expect(frameConforms({ type: "process_tree", process_tree: [node] })).toEqual([
      "process_tree.process_tree[0].children[0].nam: no table has this field",
      "process_tree.process_tree[0].children[0].name: the field is missing",
    ]);
    expect(frameConforms({ type: "process_tree", process_tree: [{ type: "leaf" }] })).toEqual([
      'process_tree.process_tree[0]: an object whose type is one of group, process is expected, not {"type":"leaf"}',
    ]);
  });

  test("accepts only times that exist", () => {
    const entry = { id: 1, ts: "2026-11-21T08:14:02.123", level: "info", source: "manager", msg: "" };
    expect(conforms("log entry", entry)).toEqual([]);
    expect(conforms("log entry", { ...entry, ts: "2026-11-21T25:14:02.123" })).not.toEqual([]);
  });

  test("refuses frames of types that no table has", () => {
    for (const frame of [null, 7, [], "x", {}, { type: 1 }, { type: "unheard_of" }, { type: "constructor" }, { type: "__proto__" }]) {
      expect(frameConforms(frame), JSON.stringify(frame)).toHaveLength(1);
    }
  });

  test("requires of a failed result frame only the fields that name the request, and the reason", () => {
    const failed = { type: "process_attribute_set_result", ok: false, name: "a", attribute: "start_tool" };
    expect(frameConforms({ ...failed, code: "not_found", message: "There is no process 'a'." })).toEqual([]);
    expect(frameConforms(failed)).toEqual([
      "process_attribute_set_result.message: the field is missing",
      "process_attribute_set_result.code: the field is missing",
    ]);
    expect(frameConforms({ ...failed, ok: true })).toEqual(["process_attribute_set_result.value: the field is missing"]);
  });

  test("allows answers to echo a request_id, and requires it of an ack", () => {
    expect(frameConforms({ type: "ack", request_type: "x", request_id: "y" })).toEqual([]);
    expect(frameConforms({ type: "ack", request_type: "x" })).toEqual(["ack.request_id: the field is missing"]);
    expect(frameConforms({ type: "process_remove", name: "x", request_id: true })).toHaveLength(1);
  });

  test("records which tables it has used", () => {
    const seen = new Set<string>();
    const example = { type: "log_batch", entries: [exampleOfFields(TABLES["log entry"] ?? {})] };
    expect(frameConforms(example, seen)).toEqual([]);
    expect([...seen]).toEqual(["log_batch", "log entry", "state change", "user action"]);
    expect(Object.keys(MANAGER_FRAMES)).toContain("log_batch");
  });
});
