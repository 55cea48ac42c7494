import { expect, test } from "vitest";
import { operatorOf } from "../../../src/app/local-daemon/operator-socket.ts";

const DATABASE = {
  passwd: "root:x:0:0::/root:/bin/sh\nann:x:54421:54421::/:/bin/sh\nbob:x:54422:54422::/:/bin/sh\n",
  group: "crew:x:54400:ann\n",
};

test("members of the group are operators, others are refused, and the manager's own user and root are served as on their own socket", () => {
  // The user has no entry in this machine's own database, so that the number is the name.
  expect(operatorOf(54_421, "crew", DATABASE)).toEqual({ user: "54421", isOperator: true });
  expect(operatorOf(54_422, "crew", DATABASE)).toEqual({ refused: "uid 54422 is not a member of the group 'crew' in /etc/group" });
  expect(operatorOf(0, "crew", DATABASE)).toEqual({ user: "root" });
  expect(operatorOf(null, "crew", DATABASE)).toEqual({ refused: "it has ended" });
});

test("members are refused when the group has gone, or is no longer configured", () => {
  expect(operatorOf(54_421, "crew", { ...DATABASE, group: "" })).toHaveProperty("refused");
  expect(operatorOf(54_421, null, DATABASE)).toHaveProperty("refused");
});
