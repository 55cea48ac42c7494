import { beforeAll, expect, test } from "vitest";
import { configuredNamesIn, namesIn, namesOf, processesIn, processIn, setSelectors } from "../../../../src/cli/manager/selectors.ts";
import { parseConfigText } from "../../../../src/config/load/load.ts";
import { tagsCli } from "../../../../src/features/tags/cli/index.ts";
import type { Snapshot } from "../../../../src/protocol/resources/resources.ts";

const snapshot = {
  processes: [{ name: "sim/world" }, { name: "camera" }, { name: "tag:odd" }],
  tags: [
    { name: "sim/world", tags: ["sim", "heavy"] },
    { name: "camera", tags: ["vision", "heavy"] },
  ],
} as unknown as Snapshot;

beforeAll(() => {
  setSelectors([tagsCli.selector].flatMap((selector) => selector ?? []));
  return () => setSelectors([]);
});

test("tag: selects the processes with the tag, beside names, groups and patterns", () => {
  expect(namesIn(snapshot, ["tag:heavy"])).toEqual(["sim/world", "camera"]);
  expect(namesIn(snapshot, ["tag:vision", "sim", "c*"])).toEqual(["camera", "sim", "c*"]);
});

test("a process whose name looks like a tag is meant itself", () => {
  expect(namesIn(snapshot, ["tag:odd"])).toEqual(["tag:odd"]);
});

test("a tag that no process has is an error with exit code 3 that names a similar one, or all", () => {
  expect(() => namesIn(snapshot, ["tag:visoin"])).toThrow("no process has the tag 'visoin'; did you mean 'vision'?");
  expect(() => namesIn(snapshot, ["tag:xyz"])).toThrow("no process has the tag 'xyz'; there are heavy, sim, vision");
  expect(() => namesIn({ ...snapshot, tags: [] }, ["tag:sim"])).toThrow("no process has the tag 'sim'; no process has tags");
});

test("a tag selects processes once, and one process only where a command is about one", () => {
  expect(processesIn(snapshot, ["sim", "tag:heavy"]).map(({ name }) => name)).toEqual(["sim/world", "camera"]);
  expect(processIn(snapshot, ["tag:sim"], "several").name).toBe("sim/world");
  expect(() => processIn(snapshot, ["tag:heavy"], "several")).toThrow("several");
});

test("without a manager, a tag selects the processes of the configuration", () => {
  const text = 'instance: {name: t, manager: ":0"}\nprocesses: {a: {command: x, tags: [sim]}, b: {command: x}, "tag:odd": {command: x}}\n';
  const config = parseConfigText(text, "mgr.yaml");
  expect(configuredNamesIn(config, ["tag:sim", "b", "tag:odd"])).toEqual(["a", "b", "tag:odd"]);
  expect(() => configuredNamesIn(config, ["tag:smi"])).toThrow("no process has the tag 'smi'; did you mean 'sim'?");
});

test("the manager is asked for tags only by commands that name one", async () => {
  const client = { snapshot: () => Promise.reject(new Error("asked")) };
  expect(await namesOf(client, ["sim", "camera"])).toEqual(["sim", "camera"]);
  await expect(namesOf(client, ["tag:sim"])).rejects.toThrow("asked");
});
