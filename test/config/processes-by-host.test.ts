import { expect, it } from "vitest";
import { loadConfigObject } from "../../src/config/load/load.ts";
import { processesAt } from "../../src/config/processes-by-host.ts";

const configOf = (nodes: Record<string, string | undefined>) =>
  loadConfigObject(
    {
      hosts: { h1: { token_file: "h1" }, h2: { token_file: "h2" } },
      processes: Object.fromEntries(
        Object.entries(nodes).map(([name, node]) => [name, node === undefined ? { command: "p" } : { command: "p", node }]),
      ),
    },
    { base_dir: "/", state_dir: "/nowhere" },
  );

it("the processes of a host are those configured for it, in the order of the configuration", () => {
  const config = configOf({ b: "h1", own: undefined, c: "h2", a: "h1" });
  const at = (host: string, isLocal = false) => processesAt(config, host, isLocal).map(({ name }) => name);
  expect(at("h1")).toEqual(["b", "a"]);
  expect(at("h2")).toEqual(["c"]);
  expect(at("bench", true)).toEqual(["own"]);
  expect(at("other")).toEqual([]);
});

it("a new configuration is not answered from the one before", () => {
  const [before, after] = [configOf({ a: "h1" }), configOf({ a: "h2" })];
  expect(processesAt(before, "h1", false)).toHaveLength(1);
  expect(processesAt(after, "h1", false)).toEqual([]);
  expect(processesAt(after, "h2", false)).toHaveLength(1);
});
