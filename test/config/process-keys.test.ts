import { hostname } from "node:os";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { ProcessDefinition } from "../../src/config/definition.ts";
import { parseConfigText } from "../../src/config/load/load.ts";
import { ConfigError } from "../../src/config/schema/problems.ts";

const load = (rest: string) => parseConfigText(`instance: {name: t, manager: ":0"}\n${rest}`, "mgr.yaml");

function processOf(settings: string): ProcessDefinition {
  const definition = load(`processes:\n  p: {command: x, ${settings}}\n`).processes.get("p");
  if (!definition) throw new Error("there is no process");
  return definition;
}

function problemsOf(rest: string): string[] {
  try {
    load(rest);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ path, message }) => `${path}: ${message}`);
    throw error;
  }
  return [];
}
const problemsIn = (settings: string) =>
  problemsOf(`processes:\n  p: {command: x, ${settings}}\n`).map((each) => each.replace("processes.p.", ""));

const PACE = { interval_ms: 1_000, timeout_ms: 5_000 };

describe("ready", () => {
  it.each([
    ["{time: 2s}", { kind: "time", ms: 2_000 }],
    ["{tcp: 8080}", { kind: "tcp", host: "localhost", port: 8_080, ...PACE }],
    ['{tcp: "db:5432", interval: 100ms, timeout: 1s}', { kind: "tcp", host: "db", port: 5_432, interval_ms: 100, timeout_ms: 1_000 }],
    ['{tcp: "[::1]:80"}', { kind: "tcp", host: "::1", port: 80, ...PACE }],
    ['{http: "http://localhost:80/x"}', { kind: "http", url: "http://localhost:80/x", status: null, headers: {}, ...PACE }],
    [
      '{http: "https://a/", status: 204, header: {Authorization: "Bearer x"}}',
      { kind: "http", url: "https://a/", status: 204, headers: { Authorization: "Bearer x" }, ...PACE },
    ],
    ["{exec: pg_isready -q}", { kind: "exec", program: { kind: "exec", argv: ["pg_isready", "-q"] }, ...PACE }],
    ['{exec: "a | b"}', { kind: "exec", program: { kind: "shell", line: "a | b" }, ...PACE }],
  ])("%s", (written, condition) => {
    expect(processOf(`ready: ${written}`).ready).toEqual(condition);
  });

  it.each([
    ["{tcp: 0}", "ready.tcp: must be a port from 1 to 65535, or HOST:PORT, found the number 0"],
    ['{http: "ftp://a/"}', "ready.http: must be a URL that begins with http:// or https://, found 'ftp://a/'"],
    ["{tcp: 80, http: 'http://a/'}", "ready: has 'tcp' and 'http'; use one of them"],
    ["{tcp: 80, status: 200}", "ready.status: works with 'http' only"],
    ["{time: 1s, interval: 1s}", "ready.interval: works with 'tcp', 'http' and 'exec' only"],
    ["{http: 'http://a/', header: {'a b': x}}", "ready.header[\"a b\"]: the name 'a b' is not a valid HTTP header name"],
    ['{exec: "echo \'a"}', "ready.exec: has an unclosed single quote at character 6"],
  ])("refuses %s", (written, problem) => {
    expect(problemsIn(`ready: ${written}`)).toEqual([problem]);
  });
});

describe("alive", () => {
  it("has the same probes, less often, and a number of failures", () => {
    const probe = { kind: "tcp", host: "localhost", port: 80, interval_ms: 10_000, timeout_ms: 5_000 };
    expect(processOf("alive: {tcp: 80}").alive).toEqual({ probe, failures: 3 });
    expect(processOf("alive: {tcp: 80, interval: 5s, failures: 1}").alive).toEqual({
      probe: { ...probe, interval_ms: 5_000 },
      failures: 1,
    });
    expect(problemsIn("alive: {time: 1s}")).toEqual([
      expect.stringContaining("alive: must have one of the keys tcp, http, exec"),
      expect.stringContaining("alive.time: unknown key; allowed are tcp, http, status, header, exec, interval, timeout, "),
    ]);
  });
});

describe("stop", () => {
  const KILL = { signal: "SIGKILL", timeout_ms: 10_000 };
  it.each([
    ["{signal: SIGRTMIN+3}", { signal: "SIGRTMIN+3", timeout_ms: 10_000 }],
    ["{signal: SIGINT, timeout: 2s}", { signal: "SIGINT", timeout_ms: 2_000 }],
    ["{command: ./bye now}", { program: { kind: "exec", argv: ["./bye", "now"] }, timeout_ms: 10_000 }],
    ['{send: "\\x03"}', { send: "\x03", timeout_ms: 10_000 }],
  ])("%s, then kills", (written, step) => {
    expect(processOf(`stop: ${written}`).stop).toEqual([step, KILL]);
  });

  it("accepts only one kind of stop", () => {
    expect(problemsIn("stop: {signal: SIGINT, send: q}")).toEqual(["stop: has 'signal' and 'send'; use one of them"]);
  });

  it("of a process replaces the stop of the defaults and keeps its time", () => {
    const config = load(
      "defaults: {stop: {command: bye, timeout: 1s}}\nprocesses: {p: {command: x, stop: {signal: SIGINT}}, q: {command: x}}\n",
    );
    expect(config.processes.get("p")?.stop[0]).toEqual({ signal: "SIGINT", timeout_ms: 1_000 });
    expect(config.processes.get("q")?.stop[0]).toMatchObject({ program: { argv: ["bye"] }, timeout_ms: 1_000 });
  });
});

describe("what the host sets up", () => {
  it("is resolved: files, user, umask, limits, scheduling, watch, log file, tool", () => {
    const config = load(
      'processes: {p: {command: x, env_file: [a.env, b.env], user: 1000, umask: "027", limits: {nofile: 4096, core: unlimited, as: 1GiB}, ' +
        'scheduling: {policy: fifo, prio: 20, affinity: "3,0-1", nice: -5}, watch: "src/**/*.js", log_file: a.log, essential: true, confirm: true, start_tool: none}}\n',
    );
    expect(config.processes.get("p")).toMatchObject({
      env_files: ["a.env", "b.env"],
      user: "1000",
      umask: 0o027,
      limits: { nofile: { soft: 4_096, hard: 4_096 }, core: { soft: null, hard: null }, as: { soft: 2 ** 30, hard: 2 ** 30 } },
      scheduling: { policy: 1, prio: 20, affinity: [0, 1, 3], nice: -5 },
      watch: ["src/**/*.js"],
      log_file: { path: "a.log", max_size: 10 * 2 ** 20, max_files: 5 },
      essential: true,
      confirm: true,
      start_tool: "none",
    });
  });

  it("keeps the requested mode of a log file", () => {
    const config = load('processes: {p: {command: x, log_file: {path: a.log, mode: "0640"}}}\n');
    expect(config.processes.get("p")?.log_file).toEqual({ path: "a.log", max_size: 10 * 2 ** 20, max_files: 5, mode: 0o640 });
  });

  it.each([
    ["log_file: {path: a.log, mode: 640}", 'log_file.mode: must be in quotes, such as "0640": YAML reads 640 as a decimal number'],
    ["umask: 022", 'umask: must be in quotes, such as "022": YAML reads 22 as a decimal number'],
    ['umask: "888"', "umask: must be three octal digits in quotes, such as \"022\", found '888'"],
    ["limits: {nofiles: 1}", "limits.nofiles: unknown key; did you mean 'nofile'?"],
    ["limits: {nofile: many}", "limits.nofile: must be a whole number, a size such as 64MiB, or unlimited, found 'many'"],
    ["scheduling: {policy: fifo}", "scheduling.policy: 'fifo' needs a 'prio' from 1 to 99"],
    ["scheduling: {policy: batch, prio: 5}", "scheduling.prio: is for the policies fifo and rr only"],
    ['scheduling: {affinity: "0-"}', "scheduling.affinity: must be CPU numbers from 0 to 1023, such as \"0,2-4\", found '0-'"],
    ["log_file: {max_size: 1MiB}", "log_file.path: is missing; it must be the path of a file"],
    ["user: 'a b'", "user: must be the name or the number of a user, found 'a b'"],
  ])("refuses %s", (settings, problem) => {
    expect(problemsIn(settings)).toEqual([problem]);
  });
});

describe("start tools", () => {
  it("are named by processes, and known ones need no configuration", () => {
    const tools = 'instance: {name: t, manager: ":0", start_tools: [{value: rr, label: rr, command: "rr record {command}"}]}\n';
    const config = parseConfigText(`${tools}processes: {p: {command: x, start_tool: rr}, q: {command: x, start_tool: gdb}}\n`, "mgr.yaml");
    expect(config.instance.start_tools).toEqual([{ value: "rr", label: "rr", command: "rr record {command}" }]);
    expect(problemsIn("start_tool: gbd")).toEqual(["start_tool: there is no start tool 'gbd'; did you mean 'gdb'?"]);
  });
});

describe("nodes and hosts", () => {
  it("may refer to the manager's own host by any of its names", () => {
    const config = load(
      `hosts: {${hostname()}: {aliases: [bench.lab]}}\nnodes: {robot: localhost, arm: bench.lab}\nprocesses: {p: {command: x, node: robot}}\n`,
    );
    expect(config.processes.get("p")?.node).toBe("robot");
    expect(config.nodes).toEqual(
      new Map([
        ["robot", "localhost"],
        ["arm", "bench.lab"],
      ]),
    );
  });

  it("may refer to other hosts by node, name or alias", () => {
    const config = load(
      "hosts: {rt1: {aliases: [10.0.0.7], start_rate: 20, token_file: keys/rt1}}\nnodes: {robot: 10.0.0.7}\n" +
        "processes: {a: {command: x, node: robot}, b: {command: x, node: rt1}, c: {command: x, node: 10.0.0.7}, d: {command: x}}\n",
    );
    expect([..."abcd"].map((name) => config.processes.get(name)?.host)).toEqual(["rt1", "rt1", "rt1", null]);
    expect(config.hosts.get("rt1")).toMatchObject({ aliases: ["10.0.0.7"], start_rate: 20, token_file: resolve("keys/rt1") });
  });

  it("leave paths of another host as written", () => {
    const config = load("hosts: {rt1: {}}\nprocesses: {a: {command: x, node: rt1, cwd: sim, env_file: .env}, b: {command: x, cwd: sim}}\n");
    expect(config.processes.get("a")).toMatchObject({ base_dir: "", cwd: "sim", env_files: [".env"] });
    expect(config.processes.get("b")?.base_dir).not.toBe("");
  });

  it("are refused if undefined, and if one name refers to two hosts", () => {
    expect(problemsOf("hosts: {rt1: {}}\nnodes: {robot: rt2}\nprocesses: {p: {command: x, node: robto}}\n")).toEqual([
      "nodes.robot: there is no host 'rt2'; did you mean 'rt1'?",
      "processes.p.node: there is no node or host 'robto'; did you mean 'robot'?",
    ]);
    expect(problemsOf("hosts: {rt1: {aliases: [a, localhost]}, rt2: {aliases: [a, rt1]}}\nprocesses: {}\n")).toEqual([
      "hosts.rt1.aliases[1]: 'localhost' is already a name of host 'localhost'",
      "hosts.rt2.aliases[0]: 'a' is already a name of host 'rt1'",
      "hosts.rt2.aliases[1]: 'rt1' is already a name of host 'rt1'",
    ]);
  });

  it("do not share a token file, because a token names its host", () => {
    const hosts = "{rt1: {token_file: keys/rt}, rt2: {token_file: ./keys/rt}, rt3: {token_file: keys/rt3}}";
    expect(problemsOf(`hosts: ${hosts}\nprocesses: {}\n`)).toEqual([
      "hosts.rt2.token_file: './keys/rt' is already the token file of host 'rt1'; each host needs a token of its own",
    ]);
  });
});

describe("values of several processes", () => {
  it("are one object if they are equal, and of the same key", () => {
    const { processes } = load(`processes:
  a: {command: x, environment: {A: "1"}, stop: {timeout: 2s}}
  b: {command: x, environment: {A: "1"}, stop: {timeout: 3s}}
  c: {command: y}
`);
    const [a, b, c] = [...processes.values()];
    expect(a?.command).toBe(b?.command);
    expect(a?.environment).toBe(b?.environment);
    expect(a?.terminal).toBe(c?.terminal);
    expect(a?.stop).not.toEqual(b?.stop);
    expect(c?.command.text).toBe("y");
    // Any name may be a variable, so an environment has no prototype; other objects have one.
    expect(Object.getPrototypeOf(c?.environment)).toBe(null);
    expect(Object.getPrototypeOf(c?.limits)).toBe(Object.prototype);
  });
});
