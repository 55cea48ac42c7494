import { expect, test } from "vitest";
import { operatorOf } from "../../../src/app/local-daemon/operator-socket.ts";

const DATABASE = {
  passwd: "root:x:0:0::/root:/bin/sh\nann:x:54321:54321::/:/bin/sh\nbob:x:54322:54322::/:/bin/sh\n",
  group: "crew:x:54400:ann\n",
};

test("members of the group are operators, others are refused, and the manager's own user and root are served as on their own socket", () => {
  // The user has no entry in this machine's own database, so that the number is the name.
  expect(operatorOf(54_321, "crew", DATABASE)).toEqual({ user: "54321", isOperator: true });
  expect(operatorOf(54_322, "crew", DATABASE)).toEqual({ refused: "uid 54322 is not a member of the group 'crew' in /etc/group" });
  expect(operatorOf(0, "crew", DATABASE)).toEqual({ user: "root" });
  expect(operatorOf(null, "crew", DATABASE)).toEqual({ refused: "it has ended" });
});

test("members are refused when the group has gone, or is no longer configured", () => {
  expect(operatorOf(54_321, "crew", { ...DATABASE, group: "" })).toHaveProperty("refused");
  expect(operatorOf(54_321, null, DATABASE)).toHaveProperty("refused");
});
