import { expect, test } from "vitest";
import { findGroup, isMember, readUserDatabase } from "../../../src/daemon/process/user-groups.ts";

const DATABASE = {
  passwd: "root:x:0:0::/root:/bin/sh\nann:x:1001:1001::/:/bin/sh\nbob:x:1002:50::/:/bin/sh\n# a remark\nbroken\n",
  group: "root:x:0:\ncrew:x:50:ann,eve\nempty:x:60:\nodd:x:not-a-number:ann\n",
};

test("a group has the members who are listed, and the users whose own group it is", () => {
  const crew = findGroup(DATABASE, "crew");
  expect(crew).toEqual({ gid: 50, members: ["ann", "eve"] });
  if (crew === null) throw new Error("there is no group");
  expect([0, 1001, 1002, 1003, 50].map((uid) => isMember(DATABASE, crew, uid))).toEqual([false, true, true, false, false]);
});

test("names that are no group are not found, and an empty group has no members", () => {
  for (const name of ["", "cre", "odd", "root:x"]) expect(findGroup(DATABASE, name)).toBeNull();
  expect(findGroup(DATABASE, "empty")).toEqual({ gid: 60, members: [] });
  expect(isMember(DATABASE, { gid: 60, members: [] }, 1001)).toBe(false);
  expect(isMember({ passwd: "" }, { gid: 0, members: [""] }, 0)).toBe(false);
});

test("the database of this machine is read", () => {
  expect(findGroup(readUserDatabase(), "root")).toMatchObject({ gid: 0 });
});
