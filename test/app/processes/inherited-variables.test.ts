import { expect, it } from "vitest";
import { inheritedVariables } from "../../../src/app/processes/run-spec-builder.ts";

const environment = {
  PATH: "/bin",
  HOME: "/root",
  LANG: "C",
  LC_ALL: "C.UTF-8",
  LC_: "odd",
  TZ: "UTC",
  SECRET: "s",
  ROS_DOMAIN: "1",
  ROS: "2",
  xROS_A: "3",
  UNSET: undefined,
};

it("children inherit the standard variables and no others", () => {
  expect(inheritedVariables(environment, [])).toEqual({
    PATH: "/bin",
    HOME: "/root",
    LANG: "C",
    LC_ALL: "C.UTF-8",
    LC_: "odd",
    TZ: "UTC",
  });
});

it("pass_environment adds names, and prefixes where it ends in a star", () => {
  const passed = (patterns: string[]) =>
    Object.keys(inheritedVariables(environment, patterns)).filter((name) => /ROS|SECRET|UNSET/.test(name));
  expect(passed(["SECRET"])).toEqual(["SECRET"]);
  expect(passed(["ROS_*"])).toEqual(["ROS_DOMAIN"]);
  expect(passed(["ROS*"])).toEqual(["ROS_DOMAIN", "ROS"]);
  expect(passed(["UNSET", "MISSING", "ros*"])).toEqual([]);
  expect(Object.keys(inheritedVariables(environment, ["*"])).length).toBe(10);
});

it("names that objects know are ordinary variables", () => {
  const tricky = JSON.parse('{"__proto__": "p", "constructor": "c"}') as NodeJS.ProcessEnv;
  const found = inheritedVariables(tricky, ["*"]);
  expect(Object.entries(found)).toEqual([
    ["__proto__", "p"],
    ["constructor", "c"],
  ]);
});
