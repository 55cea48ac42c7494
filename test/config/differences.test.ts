import { expect, test } from "vitest";
import { differencesOf } from "../../src/config/differences.ts";
import { loadConfigObject } from "../../src/config/load/load.ts";

const processes = (definition: object) =>
  loadConfigObject({ processes: { p: { command: "run", ...definition } } } as never, { base_dir: "/srv", state_dir: "/tmp/none" })
    .processes;
const differences = (before: object, after: object) =>
  differencesOf(["p"], processes(before), processes(after)).map(({ key, from, to }) => [key, from, to]);

test("each changed key is reported by its name in the file", () => {
  expect(
    differences(
      { restart: { delay: "1s" }, environment: { MODE: "fast" }, ready: { tcp: 80 } },
      { command: "run --now", restart: { delay: "2500ms" }, environment: { OTHER: "1" }, success_exit_codes: [0, 3] },
    ),
  ).toEqual(
    expect.arrayContaining([
      ["command", "run", "run --now"],
      ["restart.delay", "1s", "2500ms"],
      ["environment.MODE", "fast", null],
      ["environment.OTHER", null, "1"],
      ["success_exit_codes", "[0]", "[0,3]"],
      ["ready.tcp", expect.stringContaining("80"), null],
    ]),
  );
  expect(differences({ cwd: "a" }, { cwd: "a" })).toEqual([]);
});

test("a changed secret is reported, but not shown; long values are cut", () => {
  expect(differences({ environment: { API_TOKEN: "one" } }, { environment: { API_TOKEN: "two" } })).toEqual([
    ["environment.API_TOKEN", "***", "*** (another value)"],
  ]);
  const [[, , to] = []] = differences({}, { command: `run ${"x".repeat(1_000)}` });
  expect(to).toHaveLength(201);
});
