import { expect, test } from "vitest";
import { ADMIN_GRANTS, type Grant, generalRole, includesRole, roleOn } from "../../../src/base/access/access.ts";

const GRANTS: readonly Grant[] = [
  { role: "viewer", on: ["sim/*", "arm/left"] },
  { role: "operator", on: ["sim/world"] },
];

test("the highest role that is granted on a process holds", () => {
  expect(roleOn(GRANTS, "sim/world")).toBe("operator");
  expect(roleOn(GRANTS, "sim/viewer")).toBe("viewer");
  expect(roleOn(GRANTS, "arm/left")).toBe("viewer");
});

test("who has roles on some processes has none on others, nor on what belongs to no process", () => {
  expect(roleOn(GRANTS, "arm/right")).toBeNull();
  expect(generalRole(GRANTS)).toBeNull();
});

test("a role on everything holds for each process", () => {
  expect(roleOn(ADMIN_GRANTS, "arm/right")).toBe("admin");
  expect(generalRole([...GRANTS, { role: "viewer", on: null }])).toBe("viewer");
});

test("a role includes those below it", () => {
  expect(includesRole("operator", "viewer")).toBe(true);
  expect(includesRole("operator", "admin")).toBe(false);
  expect(includesRole(null, "viewer")).toBe(false);
});
