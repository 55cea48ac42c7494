import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { ProcessDefinition } from "../../src/config/definition.ts";
import { resolveProcessParts } from "../../src/config/features.ts";
import { loadConfigFile, loadConfigObject, parseConfigText } from "../../src/config/load/load.ts";
import { ConfigError } from "../../src/config/schema/problems.ts";
import { PROCESS_DEFAULTS } from "../../src/config/schema/schema-process.ts";

const INSTANCE = "instance: {name: t, manager: ':0'}\n";

function processOf(settings: string, defaults = "{}"): ProcessDefinition {
  const config = parseConfigText(`${INSTANCE}defaults: ${defaults}\nprocesses:\n  p: ${settings}\n`, "/etc/demo/mgr.yaml");
  const definition = config.processes.get("p");
  if (definition === undefined) throw new Error("p is missing");
  return definition;
}

describe("a process", () => {
  it("has the documented defaults", () => {
    expect(processOf("{command: sleep 1}")).toEqual({
      name: "p",
      node: "localhost",
      host: null,
      command: { text: "sleep 1", program: { kind: "exec", argv: ["sleep", "1"] } },
      alternate_commands: new Map(),
      cwd: ".",
      base_dir: "/etc/demo",
      environment: {},
      pass_environment: [],
      env_files: [],
      user: null,
      umask: null,
      limits: {},
      scheduling: null,
      terminal: { rows: 24, cols: 80, backlog: 4_194_304 },
      ready: null,
      alive: null,
      essential: false,
      confirm: false,
      output_on_disk: false,
      watch: [],
      log_file: null,
      start_tool: null,
      ready_timeout: null,
      depends_on: [],
      restart: {
        policy: "never",
        delay: 1_000,
        factor: 2,
        max_delay: 60_000,
        max_restarts: 10,
        window: 300_000,
        reset_after: 60_000,
        stable_after: 10_000,
      },
      stop: [
        { signal: "SIGTERM", timeout_ms: 10_000 },
        { signal: "SIGKILL", timeout_ms: 10_000 },
      ],
      success_exit_codes: [0],
      autostart: false,
      ...resolveProcessParts((key) => PROCESS_DEFAULTS[key]),
    });
  });

  it("inherits each key of 'defaults' that it does not have itself, down to single keys of sections and variables", () => {
    const defaults =
      "{cwd: d, environment: {A: 1, B: 2}, pass_environment: [X], terminal: {rows: 50, cols: 100}, ready_timeout: 30s, restart: {policy: always, delay: 3}, stop: {timeout: 5s}, success_exit_codes: [0, 3], autostart: true}";
    expect(
      processOf("{command: x, environment: {B: b}, terminal: {cols: 132}, restart: {delay: 500ms}, stop: {signal: SIGINT}}", defaults),
    ).toMatchObject({
      cwd: "d",
      environment: { A: "1", B: "b" },
      pass_environment: ["X"],
      terminal: { rows: 50, cols: 132, backlog: 4_194_304 },
      ready_timeout: 30_000,
      restart: { policy: "always", delay: 500, factor: 2 },
      stop: [{ signal: "SIGINT", timeout_ms: 5_000 }, { signal: "SIGKILL" }],
      success_exit_codes: [0, 3],
      autostart: true,
    });
    expect(processOf("{command: x, ready_timeout: none, autostart: false, success_exit_codes: []}", defaults)).toMatchObject({
      ready_timeout: null,
      autostart: false,
      success_exit_codes: [],
    });
  });

  it("gets numbers and booleans of its environment as written", () => {
    const text = "{command: x, environment: {V: 1.10, H: 0x1F, B: True, I: 12345678901234567890, E: 1e3, S: yes, N: '', Z: 007}}";
    expect({ ...processOf(text).environment }).toEqual({
      V: "1.10",
      H: "0x1F",
      B: "True",
      I: "12345678901234567890",
      E: "1e3",
      S: "yes",
      N: "",
      Z: "007",
    });
    expect({ ...processOf("{command: x, environment: *e}", "{environment: &e {V: 2.50}}").environment }).toEqual({ V: "2.50" });
    expect({ ...processOf("{command: x, environment: {V: &v 2.50, W: *v}}").environment }).toEqual({ V: "2.50", W: "2.50" });
  });

  it("depends on the names of a list with ready and stop, and on those of a mapping as specified, in the order of the file", () => {
    const text = `${INSTANCE}processes: {"2": {command: x}, "1": {command: x}, l: {command: x, depends_on: ["2", "1"]}, m: {command: x, depends_on: {"2": {condition: completed, on_stop: keep}, "1": }}}\n`;
    const { processes } = parseConfigText(text, "mgr.yaml");
    expect([...processes.keys()]).toEqual(["2", "1", "l", "m"]);
    expect(processes.get("l")?.depends_on).toEqual([
      { name: "2", condition: "ready", on_stop: "stop" },
      { name: "1", condition: "ready", on_stop: "stop" },
    ]);
    expect(processes.get("m")?.depends_on).toEqual([
      { name: "2", condition: "completed", on_stop: "keep" },
      { name: "1", condition: "ready", on_stop: "stop" },
    ]);
  });

  it("is ready after a line of output or a time", () => {
    expect(processOf("{command: x, ready: {regex: 'li.*g'}}").ready).toEqual({ kind: "regex", pattern: "li.*g" });
    expect(processOf("{command: x, ready: {time: 1.5s}}").ready).toEqual({ kind: "time", ms: 1_500 });
  });

  it("goes through the shell with shell syntax or 'shell: true', and keeps its alternate commands in order", () => {
    const definition = processOf("{command: a b, shell: true, alternate_commands: {z: c | d, '1': e}}");
    expect(definition.command.program).toEqual({ kind: "shell", line: "a b" });
    expect([...definition.alternate_commands].map(([label, { program }]) => [label, program.kind])).toEqual([
      ["z", "shell"],
      ["1", "shell"],
    ]);
    expect([...processOf("{command: [a, b c], alternate_commands: {z: [e]}}").alternate_commands.values()]).toEqual([
      { text: "e", program: { kind: "exec", argv: ["e"] } },
    ]);
  });

  it("may wait longer than the default's maximum before its first restart", () => {
    expect(processOf("{command: x, restart: {delay: 5m}}").restart).toMatchObject({ delay: 300_000, max_delay: 300_000 });
  });

  it("may be called __proto__ or constructor, and so may its variables and dependencies", () => {
    const text = `${INSTANCE}processes: {__proto__: {command: a, environment: {__proto__: 1}}, constructor: {command: b, depends_on: {__proto__: }}, g/toString: {command: c}}\n`;
    const { processes } = parseConfigText(text, "mgr.yaml");
    expect([...processes.keys()]).toEqual(["__proto__", "constructor", "g/toString"]);
    expect(Object.entries(processes.get("__proto__")?.environment ?? {})).toEqual([["__proto__", "1"]]);
    expect(processes.get("constructor")?.depends_on[0]?.name).toBe("__proto__");
    expect(({} as { command?: unknown }).command).toBeUndefined();
  });
});

describe("an instance", () => {
  const instanceOf = (keys: string) => parseConfigText(`instance: {name: t, ${keys}}\n`, "/etc/demo/mgr.yaml").instance;
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    ["localhost:8130", "localhost", 8130],
    [":8130", "", 8130],
    ["0.0.0.0:0", "0.0.0.0", 0],
    ["[::1]:65535", "::1", 65_535],
    ["[fe80::1%eth0]:1", "fe80::1%eth0", 1],
    ["bench.lab:1", "bench.lab", 1],
  ])("listens on %s", (address, host, port) => {
    expect(instanceOf(`manager: '${address}'`).manager).toEqual({ host, port });
  });

  it("finds its paths beside the file and its state below $XDG_STATE_HOME, if that is absolute", () => {
    vi.stubEnv("XDG_STATE_HOME", "/var/state");
    expect(instanceOf("manager: ':0'")).toMatchObject({
      webui_auth_file: null,
      state_dir: "/var/state/mgr/t",
      retained_log_entries: 10_000,
    });
    vi.stubEnv("XDG_STATE_HOME", "relative");
    vi.stubEnv("HOME", "/home/u");
    expect(instanceOf("manager: ':0'").state_dir).toBe("/home/u/.local/state/mgr/t");
    expect(instanceOf("manager: ':0', webui_auth_file: k/a.keys, state_dir: ../s")).toMatchObject({
      webui_auth_file: "/etc/demo/k/a.keys",
      state_dir: "/etc/s",
    });
  });
});

it("groups exist by being named or by holding a process, at every level", () => {
  const { groups } = parseConfigText(
    `${INSTANCE}groups: {b: {opened: false}, e/f: }\nprocesses: {a/b/c: {command: x}, b/c: {command: x}}\n`,
    "m",
  );
  expect(new Map([...groups].sort())).toEqual(
    new Map([
      ["a", { opened: true }],
      ["a/b", { opened: true }],
      ["b", { opened: false }],
      ["e", { opened: true }],
      ["e/f", { opened: true }],
    ]),
  );
});

it("keys beginning x- and empty sections are ignored, a process called x-ray is not", () => {
  const config = parseConfigText(
    `x-top: 1\ninstance: {name: t, manager: ':0', x-a: 1}\ndefaults:\ngroups:\nprocesses: {x-ray: {command: x, stop: {x-b: 1}, environment: }}\n`,
    "m",
  );
  expect([...config.processes.keys()]).toEqual(["x-ray"]);
});

it("an alias refers to the nearest anchor of its name before it", () => {
  const text = `${INSTANCE}x-a: &a {rows: 1}\nprocesses: {p: {command: x, terminal: *a}, q: {command: x, terminal: &a {rows: 2}}, r: {command: x, terminal: *a}}\n`;
  expect([...parseConfigText(text, "m").processes.values()].map((process) => process.terminal.rows)).toEqual([1, 2, 2]);
});

describe("an object, for embedding,", () => {
  const options = { base_dir: "/work", state_dir: "/tmp/state" };

  it("needs no instance and takes regular expressions", () => {
    const config = loadConfigObject(
      { processes: { db: { command: ["postgres", "-D", "data dir"], ready: { regex: /ready to accept/u }, ready_timeout: 30 } } },
      options,
    );
    expect(config).toMatchObject({
      file: null,
      base_dir: "/work",
      instance: { name: "embedded", manager: { host: "localhost", port: 0 }, webui_auth_file: null, state_dir: "/tmp/state" },
    });
    expect(config.processes.get("db")).toMatchObject({
      command: { text: "postgres -D 'data dir'" },
      ready: { kind: "regex", pattern: "ready to accept" },
      ready_timeout: 30_000,
    });
  });

  it("may name its instance and leave keys undefined", () => {
    const config = loadConfigObject(
      { instance: { name: "rig", state_dir: "s" }, processes: { a: { command: "x", environment: { N: 1.5, B: false } } } },
      options,
    );
    expect(config.instance).toMatchObject({ name: "rig", state_dir: "/work/s", manager: { port: 0 } });
    expect({ ...config.processes.get("a")?.environment }).toEqual({ N: "1.5", B: "false" });
    const undefinedKey = { a: { command: "x", cwd: undefined } } as unknown as Record<string, { command: string }>;
    expect(loadConfigObject({ processes: undefinedKey }, options).processes.get("a")?.cwd).toBe(".");
  });

  it("treats an undefined key as one that was left out, also the command", () => {
    const wrong = { processes: { a: { command: undefined } } } as never;
    expect(() => loadConfigObject(wrong, options)).toThrow("processes.a.command: is missing; it must be a command");
  });

  it("is refused with all problems by key path", () => {
    const object = { processes: { a: { command: 5, ready: { regex: /x/i } }, b: { command: "x", depends_on: ["c"] }, c: new Date(0) } };
    let caught: unknown;
    try {
      loadConfigObject(object as never, options);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(ConfigError);
    expect((caught as ConfigError).problems.map(({ path, line, message }) => [path, line, message])).toEqual([
      ["processes.a.command", 0, "must be a command: a string, or a list of words, found the number 5"],
      ["processes.a.ready.regex", 0, "has the flags 'i'; only 'u' is supported"],
      ["processes.c", 0, "must be a mapping with at least the key command, found a mapping"],
    ]);
    expect((caught as ConfigError).code).toBe("bad_field");
    expect((caught as ConfigError).message).toContain("the configuration has 3 problems:\n  processes.a.command: must be");
  });
});

describe("a file", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mgr-config-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const problemOf = async (path: string) => {
    const error: unknown = await loadConfigFile(path).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ConfigError);
    const [problem] = (error as ConfigError).problems;
    expect(problem?.file).toBe(path);
    return `${problem?.line}: ${problem?.message}`;
  };

  it("is loaded, also through a symbolic link, with paths relative to where it was named", async () => {
    await writeFile(join(folder, "good.yaml"), `\uFEFF${INSTANCE}processes:\r\n  p: {command: x}\r\n`);
    await symlink("good.yaml", join(folder, "link.yaml"));
    const config = await loadConfigFile(join(folder, "link.yaml"));
    expect(config).toMatchObject({ file: join(folder, "link.yaml"), base_dir: folder });
    expect([...config.processes.keys()]).toEqual(["p"]);
  });

  it("that is missing, a folder, a device, too large, UTF-16 or not UTF-8 is reported in words", async () => {
    expect(await problemOf(join(folder, "none.yaml"))).toContain("does not exist");
    expect(await problemOf(join(folder, "good.yaml", "below"))).toContain("cannot be read: ENOTDIR");
    await mkdir(join(folder, "dir.yaml"));
    expect(await problemOf(join(folder, "dir.yaml"))).toContain("is not a regular file");
    expect(await problemOf("/dev/null")).toContain("is not a regular file");
    await writeFile(join(folder, "large.yaml"), "");
    await truncate(join(folder, "large.yaml"), 4 * 1_048_576 + 1);
    expect(await problemOf(join(folder, "large.yaml"))).toContain("is larger than 4194304 bytes");
    await writeFile(join(folder, "utf16.yaml"), Buffer.from(`\uFEFF${INSTANCE}`, "utf16le"));
    expect(await problemOf(join(folder, "utf16.yaml"))).toContain("is UTF-16; save it as UTF-8");
    await writeFile(join(folder, "latin1.yaml"), Buffer.from(`${INSTANCE}\n# für\n`, "latin1"));
    expect(await problemOf(join(folder, "latin1.yaml"))).toBe("3: is not UTF-8");
  });

  it("that cannot be read for lack of permission is reported in words", async () => {
    await writeFile(join(folder, "secret.yaml"), INSTANCE);
    await chmod(join(folder, "secret.yaml"), 0);
    const root = process.geteuid?.() === 0;
    if (root) process.seteuid?.(65_534);
    try {
      expect(await problemOf(join(folder, "secret.yaml"))).toContain("permission denied");
    } finally {
      if (root) process.seteuid?.(0);
    }
  });
});

it("ten thousand processes are loaded", () => {
  const text = Array.from(
    { length: 10_000 },
    (_, n) =>
      `  g${n % 100}/p${n}: {command: sleep ${n}, environment: {A: ${n}}, depends_on: [${n < 100 ? "" : `g${n % 100}/p${n - 100}`}]}\n`,
  ).join("");
  expect(parseConfigText(`${INSTANCE}processes:\n${text}`, "m").processes.size).toBe(10_000);
});

it("the message of the error lists the first problems, and the number of the others", () => {
  const text = `${INSTANCE}${Array.from({ length: 25 }, (_, n) => `k${n}: 1\n`).join("")}`;
  expect(() => parseConfigText(text, "m.yaml")).toThrow(/^m\.yaml has 25 problems:\n {2}2:1 k0: unknown key.*(\n.*){19}\n {2}and 5 more$/);
});
