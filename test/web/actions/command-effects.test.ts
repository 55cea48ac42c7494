import { describe, expect, test } from "vitest";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { canDo, needsQuestion, questionOf } from "../../../web/src/actions/command-effects.ts";

const process = (name: string, state: Process["state"], stops_with: string[] = []) =>
  ({ name, state, requested_state: state === "stopped" ? "stop" : "start", stops_with, confirm: false }) as const;

const db = process("db", "ready");
const api = process("api", "started", ["db"]);
const web = process("web", "started", ["api"]);
const idle = process("idle", "stopped", ["db"]);

describe("the confirmation of a command", () => {
  test("names the dependents of a single process", () => {
    expect(questionOf("stop", "db", { members: [db], active: [db], along: [api, web] })).toEqual({
      title: "Stop db?",
      text: "2 processes that depend on it will stop, too: api, web.",
      yes: "Stop 3 processes",
      isDanger: true,
    });
  });

  test("counts the running members of a group, and names some", () => {
    const many = Array.from({ length: 9 }, (_, index) => process(`g/${index}`, "started"));
    const question = questionOf("restart", "g", { members: [...many, idle], active: many, along: [web] });
    expect(question.text).toBe(
      "9 processes will restart: g/0, g/1, g/2, g/3, g/4, g/5 and 3 more. 1 process will start: idle. 1 process that depends on them will restart, too: web.",
    );
    expect(question.yes).toBe("Restart 11 processes");
  });

  test("has the label of a list, and names what it starts", () => {
    const failed = [process("a", "error"), process("b", "error")];
    expect(questionOf("start", "2 failed processes", { members: failed, active: [], along: [] }, "Restart")).toEqual({
      title: "Restart 2 failed processes?",
      text: "2 processes will start: a, b.",
      yes: "Restart 2 processes",
      isDanger: false,
    });
  });

  test("has no empty sentences", () => {
    expect(questionOf("stop", "db", { members: [db], active: [db], along: [] })).toMatchObject({ text: "", yes: "Stop" });
    expect(questionOf("start", "idle", { members: [idle], active: [], along: [] })).toMatchObject({
      text: "",
      yes: "Start",
      isDanger: false,
    });
    expect(questionOf("start", "g", { members: [idle, idle], active: [], along: [] })).toMatchObject({
      text: "2 processes will start: idle, idle.",
    });
  });
});

describe("a command requires a confirmation", () => {
  const kept = { ...web, confirm: true };
  const one = { active: [web], along: [] };
  test("before it ends a group, all, a list, dependents, or a process that is to be confirmed; else not", () => {
    for (const verb of ["stop", "restart"] as const) {
      expect(needsQuestion(verb, "process", one)).toBe(false);
      expect(needsQuestion(verb, "process", { active: [kept], along: [] })).toBe(true);
      expect(needsQuestion(verb, "process", { active: [db], along: [api] })).toBe(true);
      expect((["group", "all", "list"] as const).map((kind) => needsQuestion(verb, kind, one))).toEqual([true, true, true]);
      expect(needsQuestion(verb, "group", { active: [], along: [] })).toBe(false);
    }
  });

  test("before it starts many that the user has not named; else not", () => {
    const none = { active: [], along: [] };
    expect((["process", "group", "all", "list"] as const).map((kind) => needsQuestion("start", kind, none))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });
});

test("a restart that is under way cannot be requested again", () => {
  expect(canDo("restart", { state: "stopping", requested_state: "start" })).toBe(false);
  expect(canDo("restart", { state: "stopping", requested_state: "stop" })).toBe(true);
  expect(canDo("restart", { state: "stopped", requested_state: "stop" })).toBe(true);
});
