import { expect, test } from "vitest";
import { judgeOf } from "../../../web/src/state/access-judge.ts";

const judge = judgeOf([
  { role: "viewer", on: ["sim/*", "arm"], may_download: true, may_type: false },
  { role: "operator", on: ["sim/world"], may_download: false, may_type: true },
]);

test("the page knows which role is missing on a process", () => {
  expect(judge("Stopping", "operator", ["sim/world"])).toBeNull();
  expect(judge("Stopping", "operator", ["arm"])).toBe("Stopping needs the role operator on 'arm'.");
  expect(judge("Typing", "typing", ["sim/world"])).toBeNull();
  expect(judge("A download", "download", ["arm"])).toBeNull();
});

test("a command to several processes is refused if the role is missing on one of them", () => {
  expect(judge("Stopping", "operator", ["sim/world", "sim/arm"])).toBe("Stopping needs the role operator on 'sim/arm'.");
  expect(judge("Stopping", "operator", ["arm", "sim/arm"])).toBe("Stopping needs the role operator on all of these 2 processes.");
});

test("what belongs to no process needs a role on everything", () => {
  expect(judge("Configuration", "admin", "everything")).toBe("Configuration needs the role admin on everything.");
});
