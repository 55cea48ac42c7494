import { describe, expect, it } from "vitest";
import type { ClientFrame } from "../../src/protocol/frames/frames.ts";
import { contains, outOfScope, parseViewMode, type ViewMode } from "../../src/transport/view.ts";
import { FakeControl } from "../support/fakes/fake-control.ts";

const control = new FakeControl(["sim/world", "sim/arm/left", "db", "__proto__"]);
const parse = (query: string) => parseViewMode(new URLSearchParams(query), control);

describe("the query of /ws", () => {
  it.each([
    ["", { kind: "full" }],
    ["client=mgr_remote&x=1", { kind: "full" }],
    ["single_process=sim%2Fworld", { kind: "single_process", name: "sim/world" }],
    ["single_process=__proto__", { kind: "single_process", name: "__proto__" }],
    ["single_group=sim", { kind: "single_group", name: "sim" }],
    ["single_group=sim/arm", { kind: "single_group", name: "sim/arm" }],
    ["log_only=1", { kind: "log_only" }],
    ["log_only", { kind: "log_only" }],
    ["log_only=0", { kind: "full" }],
    ["log_only=false&single_process=db", { kind: "single_process", name: "db" }],
  ])("'%s' is a view", (query, view) => {
    expect(parse(query)).toEqual(view);
  });

  it.each([
    ["single_process=", 400],
    ["single_group=", 400],
    ["single_process=db&single_group=sim", 400],
    ["single_process=db&log_only=1", 400],
    ["single_process=db&single_process=db", 400],
    ["single_process=nothing", 404],
    ["single_process=sim", 404],
    ["single_group=db", 404],
    ["single_group=toString", 404],
  ])("'%s' is refused with %i and a sentence", (query, status) => {
    expect(parse(query)).toEqual({ status, message: expect.stringMatching(/^.{15,}\.$/) });
  });
});

it("a view contains names that are equal or below, not names that only share a prefix", () => {
  const group: ViewMode = { kind: "single_group", name: "sim" };
  expect(["sim", "sim/world", "sim/arm/left", "simulator", "db"].map((name) => contains(group, name))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  const process: ViewMode = { kind: "single_process", name: "sim" };
  expect(["sim", "sim/world"].map((name) => contains(process, name))).toEqual([true, false]);
});

describe("what a view may ask", () => {
  const frames: ClientFrame[] = [
    { type: "get_snapshot" },
    { type: "request_logs" },
    { type: "subscribe_process_output", patterns: ["*"] },
    { type: "start_process", name: "sim/world" },
    { type: "start_process", name: "db" },
    { type: "start_group", name: "sim" },
    { type: "request_plan" },
  ];
  const allowed = (view: ViewMode) => frames.filter((frame) => outOfScope(view, frame) === null).map((frame) => frames.indexOf(frame));

  it("full asks everything", () => expect(allowed({ kind: "full" })).toEqual([0, 1, 2, 3, 4, 5, 6]));
  it("log_only asks logs and its own snapshot", () => expect(allowed({ kind: "log_only" })).toEqual([0, 1]));
  it("single_process asks about its process", () => expect(allowed({ kind: "single_process", name: "sim/world" })).toEqual([0, 2, 3]));
  it("single_group asks about its subtree", () => expect(allowed({ kind: "single_group", name: "sim" })).toEqual([0, 2, 3, 5]));
  it("a refusal is a sentence that names what was asked", () => {
    expect(outOfScope({ kind: "single_group", name: "sim" }, { type: "stop_process", name: "db" })).toBe(
      "'db' is outside the view of this connection (single_group=sim).",
    );
  });
});
