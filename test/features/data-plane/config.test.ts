import { expect, it } from "vitest";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import { fixedSettings } from "../../../src/config/plan.ts";

const read = (scope_process?: string) =>
  loadConfigObject(
    { instance: scope_process === undefined ? {} : { scope_process }, processes: { "tools/scope": { command: "x" } } },
    { base_dir: "/", state_dir: "/" },
  );

it("the process that shows traces is one of the configuration, and changes with a reload", () => {
  expect(read().instance.scope_process).toBeNull();
  expect(read("tools/scope").instance.scope_process).toBe("tools/scope");
  expect(() => read("tools/scop")).toThrow("instance.scope_process: there is no process 'tools/scop'; did you mean 'tools/scope'?");
  expect(fixedSettings(read(), read("tools/scope"))).toEqual([]);
});
