import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfigObject, parseConfigText } from "../../../src/config/load/load.ts";

const parsed = (text: string) => parseConfigText(`instance: {name: t, manager: ":0"}\n${text}\n`, "mgr.yaml");

test("a process with replicas is one process for each index, in a folded group of its name", () => {
  const { processes, groups, multiplied } = parsed(`processes:
  db: {command: db}
  sim/worker:
    replicas: 3
    command: serve --port {index+8000} --name w{index}
    environment: {ID: "{index}", LIST: "\${NONE:-x}{index}"}
    alternate_commands: {debug: "serve -d {index}"}
    cwd: /srv/{index}
    log_file: "logs/{index}.log"
    ready: {tcp: "localhost:80{index}"}
    depends_on: [db]`);
  expect([...processes.keys()]).toEqual(["db", "sim/worker/1", "sim/worker/2", "sim/worker/3"]);
  expect(groups.get("sim")).toEqual({ opened: true });
  expect(groups.get("sim/worker")).toEqual({ opened: false });
  expect(multiplied?.entries.get("sim/worker")).toEqual({ configured: 3, names: ["sim/worker/1", "sim/worker/2", "sim/worker/3"] });
  const second = processes.get("sim/worker/2");
  expect(second).toMatchObject({
    command: { text: "serve --port 8002 --name w2" },
    environment: { ID: "2", LIST: "x2" },
    cwd: "/srv/2",
    log_file: { path: "logs/2.log" },
    ready: { kind: "tcp", port: 802 },
  });
  expect(second?.alternate_commands.get("debug")?.text).toBe("serve -d 2");
});

test("a dependency on a process with replicas means all of them, with its condition", () => {
  const { processes } = parsed(`templates: {t: {depends_on: [db]}}
processes:
  db: {command: db, replicas: 2}
  list: {command: x, depends_on: [other, db]}
  map: {command: x, depends_on: {db: {condition: started, on_stop: keep}}}
  below: {extends: t, command: x}
  other: {command: x}
  each: {command: x, replicas: 2, depends_on: ["db/{index}"]}`);
  const needs = (name: string) => processes.get(name)?.depends_on.map((each) => each.name);
  expect(needs("list")).toEqual(["other", "db/1", "db/2"]);
  expect(needs("below")).toEqual(["db/1", "db/2"]);
  expect(needs("each/2")).toEqual(["db/2"]);
  expect(processes.get("map")?.depends_on).toEqual([
    { name: "db/1", condition: "started", on_stop: "keep" },
    { name: "db/2", condition: "started", on_stop: "keep" },
  ]);
});

test("the index is replaced in templates too, and templates of other processes stay as they are", () => {
  const { processes } = parsed(`templates:
  base: {command: "run {index}", replicas: 2}
  port: {extends: base, ready: {tcp: "localhost:{index+9000}"}}
  plain: {command: "awk {index}", environment: {A: b}}
processes:
  a: {extends: port}
  b: {extends: [plain], replicas: 1}
  c: {extends: plain}
  d: {extends: base, replicas: 1, environment: {N: 1.10}}`);
  expect([...processes.keys()]).toEqual(["a/1", "a/2", "b/1", "c", "d/1"]);
  expect(processes.get("a/2")).toMatchObject({ command: { text: "run 2" }, ready: { port: 9002 } });
  expect(processes.get("b/1")?.command.text).toBe("awk 1");
  expect(processes.get("c")?.command.text).toBe("awk {index}");
  expect(processes.get("d/1")?.environment).toEqual({ N: "1.10" });
});

test.each([
  [
    "a number of replicas out of range",
    "w: {command: x, replicas: 101}",
    "3:29 processes.w.replicas: must be a whole number from 1 to 100",
  ],
  [
    "another process in the group of the replicas",
    "w: {command: x, replicas: 2}\n  w/3: {command: x}",
    "3:3 processes.w: has replicas, which are the group 'w', and 'w/3' is in that group as well; rename one of them",
  ],
  [
    "a log file that all replicas would write",
    "w: {command: x, replicas: 2, log_file: w.log}",
    "3:42 processes.w.log_file: must have {index}",
  ],
  [
    "a port that is too large with one index",
    "w:\n    command: x\n    replicas: 9\n    ready: {tcp: 'localhost:6553{index}'}",
    "6:18 processes.w.ready.tcp: ",
  ],
  ["a replica that depends on all", "w: {command: x, replicas: 2, depends_on: [w]}", "3:45 processes.w.depends_on[0]: a process cannot"],
  [
    "a dependency after one on replicas",
    "w: {command: x, replicas: 2}\n  b: {command: x, depends_on: [w, gone]}",
    "4:35 processes.b.depends_on[1]: there is no process 'gone'",
  ],
])("%s is a problem at its place in the file", (_what, text, problem) => {
  expect(() => parsed(`processes:\n  ${text}`)).toThrow(problem);
});

test("a problem of an indexed template is reported once, in the template", () => {
  const text = `templates: {t: {command: "x {index}", restart: {delay: soon}}}
processes: {w: {extends: t, replicas: 3}}`;
  expect(() => parsed(text)).toThrow(/has a problem:\n {2}2:\d+ templates\.t\.restart\.delay: /);
});

test("the same files can be resolved with another number, which is checked like that of the file", () => {
  const config = parsed("processes: {w: {command: x, replicas: 2, ready: {tcp: 'localhost:6553{index}'}}}");
  const names = (count: number) => [...(config.multiplied?.with(new Map([["w", count]])).processes.keys() ?? [])];
  expect(names(4)).toEqual(["w/1", "w/2", "w/3", "w/4"]);
  expect(names(1)).toEqual(["w/1"]);
  expect(() => names(6)).toThrow("processes.w.ready.tcp: ");
  expect(config.multiplied?.with(new Map()).processes).toEqual(config.processes);
});

test("an object of a program can have replicas, and a configuration without any is not multiplied", () => {
  const options = { base_dir: "/", state_dir: "/state" };
  expect([...loadConfigObject({ processes: { w: { command: ["x", "{index}"], replicas: 2 } } }, options).processes.keys()]).toEqual([
    "w/1",
    "w/2",
  ]);
  expect(loadConfigObject({ processes: { w: { command: "x {index}" } } }, options)).toMatchObject({ multiplied: null });
});

test("the example of the documentation is valid", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/replicas.md"), "utf8");
  const [, example = ""] = /^```yaml\n(.*?)^```/msu.exec(page) ?? [];
  expect([...parsed(example).processes.keys()]).toEqual(["db", "worker/1", "worker/2", "worker/3", "web"]);
});
