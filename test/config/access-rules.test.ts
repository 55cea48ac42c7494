import { describe, expect, test } from "vitest";
import { allows } from "../../src/base/access/access.ts";
import { permissionRefusal } from "../../src/base/access/permission.ts";
import { parseConfigText } from "../../src/config/load/load.ts";
import { accessOf } from "../support/access.ts";

const WEB = { via: "cookie" } as const;

describe("the roles of a user", () => {
  test("are those of an admin, unless a configuration says otherwise", () => {
    expect(accessOf().grantsOf("ann", WEB)).toEqual([{ role: "admin", on: null }]);
  });

  test("are those that the configuration names, and no others", () => {
    const access = accessOf({
      default: "viewer",
      users: { ann: "operator", sam: [{ role: "viewer", on: "sim/*", may_download: true }], none: [] },
    });
    expect(access.grantsOf("ann", WEB)).toEqual([{ role: "operator", on: null }]);
    expect(access.grantsOf("sam", WEB)).toEqual([{ role: "viewer", on: ["sim/*"], mayDownload: true }]);
    expect(access.grantsOf("none", WEB)).toEqual([]);
    expect(access.grantsOf("other", WEB)).toEqual([{ role: "viewer", on: null }]);
  });

  test("are none for others if the default is none, except over the local socket", () => {
    const access = accessOf({ default: "none" });
    expect(access.grantsOf("other", WEB)).toEqual([]);
    expect(access.grantsOf("local:root", { via: "local" })).toEqual([{ role: "admin", on: null }]);
  });

  test("named like an object's own properties are not found by accident", () => {
    expect(accessOf({ default: "none" }).grantsOf("__proto__", WEB)).toEqual([]);
  });
});

test("members of local_operators are operators on the local socket, and nothing while the key is missing", () => {
  const bob = (access: ReturnType<typeof accessOf>) => access.grantsOf("operator:bob", { via: "local" });
  expect(bob(accessOf({ local_operators: "crew" }))).toEqual([{ role: "operator", on: null }]);
  expect(bob(accessOf({ local_operators: "crew", terminals: "operator", default: "none" }))).toEqual([
    { role: "operator", on: null, mayType: true },
  ]);
  expect(bob(accessOf())).toEqual([]);
  for (const name of ["", "a b", "a:b", "../x"]) expect(() => accessOf({ local_operators: name })).toThrow("group");
});

test("operators type into terminals only if the configuration allows it, and viewers never", () => {
  const strict = accessOf({ users: { ann: "operator" } }).grantsOf("ann", WEB);
  const open = accessOf({ terminals: "operator", users: { ann: "operator", wall: "viewer" } });
  expect(allows(strict, "typing", "sim/world")).toBe(false);
  expect(allows(open.grantsOf("ann", WEB), "typing", "sim/world")).toBe(true);
  expect(allows(open.grantsOf("wall", WEB), "typing", "sim/world")).toBe(false);
});

test("a viewer downloads only with may_download", () => {
  const access = accessOf({ users: { a: [{ role: "viewer" }], b: [{ role: "viewer", may_download: true }] } });
  expect(allows(access.grantsOf("a", WEB), "download", null)).toBe(false);
  expect(allows(access.grantsOf("b", WEB), "download", null)).toBe(true);
});

test("a group needs the role on all members, and may be viewed with a role on one", () => {
  const grants = accessOf({ users: { a: [{ role: "operator", on: "sim/a" }] } }).grantsOf("a", WEB);
  const group = { kind: "named", name: "sim", members: ["sim/a", "sim/b"] } as const;
  expect(permissionRefusal(grants, "stop_group", "operator", group)).toBe("stop_group needs the role operator on all processes of 'sim'.");
  expect(permissionRefusal(grants, "request_ports", "viewer", group)).toBeNull();
});

test("a hidden process and one that does not exist are refused by the same sentence", () => {
  const grants = accessOf({ users: { a: [{ role: "viewer", on: "sim/*" }] } }).grantsOf("a", WEB);
  const hidden = permissionRefusal(grants, "x", "viewer", { kind: "named", name: "vault", members: ["vault/a"] });
  expect(hidden).toBe("x needs the role viewer on 'vault'.");
  expect(permissionRefusal(grants, "x", "viewer", { kind: "named", name: "vault", members: [] })).toBe(hidden);
});

test.each([
  ["{users: {ann: chief}}", /must be one of viewer, operator, admin/],
  ["{users: {ann: [{role: viewer, on: []}]}}", /is empty: name at least one pattern/],
  ["{users: {ann: [{on: 'sim/*'}]}}", /role.* is missing/],
  ["{users: {'a:b': viewer}}", /cannot be the name of a web user/],
  ["{default: root}", /must be one of none, viewer, operator, admin/],
  ["{terminals: viewer}", /must be one of operator, admin/],
])("access: %s is a problem of the configuration", (text, problem) => {
  const whole = `instance: {name: a, manager: "localhost:0"}\naccess: ${text}\n`;
  expect(() => parseConfigText(whole, "/tmp/mgr.yaml")).toThrow(problem);
});
