// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how variables are written in a configuration.
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Config } from "../../src/config/definition.ts";
import { loadConfigFile } from "../../src/config/load/load.ts";
import { ConfigError } from "../../src/config/schema/problems.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mgr-includes-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const INSTANCE = "instance: {name: t, manager: ':0'}\n";

async function load(files: Record<string, string>, environment: Record<string, string> = {}): Promise<Config> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return loadConfigFile(join(folder, "mgr.yaml"), { environment });
}

/** "file:line:column path: message" of each problem, files relative to the folder. */
async function problems(files: Record<string, string>, environment: Record<string, string> = {}): Promise<string[]> {
  try {
    await load(files, environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((one) => `${one.file.replace(`${folder}/`, "")}:${one.line}:${one.column} ${one.path}: ${one.message}`);
  }
  return [];
}

describe("include", () => {
  it("does not wait for a writer of a named pipe, whether named or matched", async () => {
    await mkdir(join(folder, "conf"));
    execFileSync("mkfifo", [join(folder, "conf/pipe.yaml"), join(folder, "pipe.yaml")]);
    expect(await problems({ "mgr.yaml": `${INSTANCE}include: [conf/*.yaml, pipe.yaml]\n` })).toEqual([
      "conf/pipe.yaml:1:1 : is not a regular file",
      "pipe.yaml:1:1 : is not a regular file",
    ]);
  });

  it("reads what its globs match, in the order of names, and files that those include", async () => {
    const config = await load({
      "mgr.yaml": `${INSTANCE}include: ["conf/*.yaml", extra.yaml]\nprocesses: {main: {command: x}}\n`,
      "conf/b.yaml": "processes: {b: {command: x}}\n",
      "conf/a.yaml": "include: [deep/**/*.yaml]\nprocesses: {a: {command: x}}\n",
      "conf/deep/er/c.yaml": "processes: {c: {command: x}}\n",
      "conf/.hidden.yaml": "processes: {hidden: {command: x}}\n",
      "extra.yaml": "# nothing yet\n",
    });
    expect([...config.processes.keys()]).toEqual(["main", "a", "c", "b"]);
    expect(config.files.map((file) => file.replace(`${folder}/`, ""))).toEqual([
      "mgr.yaml",
      "conf/a.yaml",
      "conf/deep/er/c.yaml",
      "conf/b.yaml",
      "extra.yaml",
    ]);
  });

  it("reads each file once, also when files include each other, match twice or are linked", async () => {
    await symlink("a.yaml", join(folder, "link.yaml"));
    const config = await load({
      "mgr.yaml": `${INSTANCE}include: ["*.yaml", a.yaml]\n`,
      "a.yaml": "include: [mgr.yaml, a.yaml]\nprocesses: {a: {command: x}}\n",
    });
    expect([...config.processes.keys()]).toEqual(["a"]);
  });

  it("resolves relative paths from the folder of the file that has them, also those of templates", async () => {
    const config = await load({
      "mgr.yaml": `${INSTANCE}include: [sub/p.yaml]\ntemplates: {t: {cwd: work, env_file: .env, log_file: a.log}}\ndefaults: {watch: "src/**"}\n`,
      "sub/p.yaml": "processes: {own: {command: x, cwd: here}, inherits: {command: x, extends: t}, plain: {command: x}}\n",
    });
    expect(config.processes.get("own")).toMatchObject({ base_dir: join(folder, "sub"), cwd: "here" });
    expect(config.processes.get("plain")).toMatchObject({ base_dir: join(folder, "sub"), cwd: ".", watch: [join(folder, "src/**")] });
    expect(config.processes.get("inherits")).toMatchObject({
      cwd: join(folder, "work"),
      env_files: [join(folder, ".env")],
      log_file: { path: join(folder, "a.log") },
    });
  });

  it("gives each file its own defines and those of the files that include it, not those of its neighbours", async () => {
    const files = {
      "mgr.yaml": `${INSTANCE}defines: {A: main, B: main}\ninclude: [a.yaml, b.yaml, "\${DIR:-none}.yaml"]\n`,
      "a.yaml": "defines: {B: a, C: a}\nprocesses: {a: {command: '${A} ${B} ${C}'}}\n",
      "b.yaml": "processes:\n  b: {command: '${A} ${B} ${C}'}\n",
      "none.yaml": "",
    };
    expect(await problems(files)).toEqual([
      "b.yaml:2:16 processes.b.command: 'C' is not defined: add it to 'defines', set it in the manager's environment, or write ${C:-default}",
    ]);
    const config = await load(files, { C: "outside" });
    expect(config.processes.get("a")?.command.text).toBe("main a a");
    expect(config.processes.get("b")?.command.text).toBe("main main outside");
  });

  it("reports every problem of every file with its position, all at once", async () => {
    const found = await problems({
      "mgr.yaml": `${INSTANCE}include: [a.yaml, missing.yaml, "no-match-*.yaml"]\nprocesses:\n  p: {comand: x}\n`,
      "a.yaml": "processes:\n  q: {command: x, depends_on: [qq]}\n  p: {command: x}\ninstance: {name: other}\n",
    });
    expect(found).toEqual([
      "mgr.yaml:2:19 include[1]: there is no file 'missing.yaml'",
      "mgr.yaml:4:3 processes.p.command: is missing; it must be a command: a string, or a list of words",
      "mgr.yaml:4:7 processes.p.comand: unknown key; did you mean 'command'?",
      "a.yaml:2:32 processes.q.depends_on[0]: there is no process 'qq'; did you mean 'q'?",
      `a.yaml:3:3 processes.p: is also defined in ${folder}/mgr.yaml; names must be unique`,
      "a.yaml:4:1 instance: unknown key; allowed are defines, include, templates, groups, processes",
    ]);
  });

  it("reports only what is wrong with a file that cannot be read as YAML, not what is missing because of it", async () => {
    const found = await problems({
      "mgr.yaml": `${INSTANCE}include: [a.yaml]\nprocesses: {p: {command: x, depends_on: [q]}}\n`,
      "a.yaml": "processes: {q: {command: x}\n",
    });
    expect(found).toEqual([expect.stringMatching(/^a\.yaml:2:1 : is not valid YAML/)]);
  });

  it("refuses a cycle of dependencies across files, with the whole cycle", async () => {
    const found = await problems({
      "mgr.yaml": `${INSTANCE}include: [a.yaml, b.yaml]\nprocesses: {p: {command: x, depends_on: [a]}}\n`,
      "a.yaml": "processes: {a: {command: x, depends_on: [b]}}\n",
      "b.yaml": "processes: {b: {command: x, depends_on: [p]}}\n",
    });
    expect(found).toEqual(["b.yaml:1:42 processes.b.depends_on[0]: the dependencies form a cycle: p → a → b → p"]);
  });
});

describe("templates", () => {
  it("are merged from the weakest to the strongest: defaults, templates in order, the process", async () => {
    const config = await load({
      "mgr.yaml": `${INSTANCE}include: [t.yaml]
defaults: {environment: {D: d, A: d}, stop: {timeout: 3s}, terminal: {rows: 30}}
templates:
  base: {environment: {A: base, B: base}, stop: {signal: SIGINT}, depends_on: {db: {condition: started}}}
  top: {extends: base, environment: {B: top, C: top}, command: ./top, stop: {send: "q"}}
processes:
  p: {extends: [top, other], environment: {C: p}, terminal: {cols: 99}, depends_on: [x]}
  db: {command: db}
  x: {command: x}
`,
      "t.yaml": "templates: {other: {restart: {policy: always}, shell: true}}\n",
    });
    expect(config.processes.get("p")).toMatchObject({
      command: { program: { kind: "shell", line: "./top" } },
      environment: { D: "d", A: "base", B: "top", C: "p" },
      terminal: { rows: 30, cols: 99 },
      restart: { policy: "always" },
      stop: [{ send: "q", timeout_ms: 3_000 }, { signal: "SIGKILL" }],
      depends_on: [
        { name: "db", condition: "started" },
        { name: "x", condition: "ready" },
      ],
    });
    expect(config.processes.get("db")).toMatchObject({ environment: { D: "d", A: "d" }, depends_on: [] });
  });

  it("are refused if they extend each other in a circle, do not exist, or give no command", async () => {
    const found = await problems({
      "mgr.yaml": `${INSTANCE}templates:
  a: {extends: b}
  b: {extends: [a]}
  c: {environment: {X: 1}}
processes:
  p: {extends: [a, cc], command: x}
  q: {extends: c}
`,
    });
    expect(found).toEqual([
      "mgr.yaml:4:17 templates.b.extends[0]: the templates form a cycle: a → b → a",
      "mgr.yaml:7:20 processes.p.extends[1]: there is no template 'cc'; did you mean 'c'?",
      "mgr.yaml:8:3 processes.q: has no 'command', and none of its templates has one",
    ]);
  });

  it("are reported once for their own mistakes, however many processes extend them", async () => {
    const found = await problems({
      "mgr.yaml": `${INSTANCE}templates:
  t: {command: "echo 'a", depends_on: [nobody]}
processes:
  p: {extends: t}
  q: {extends: t}
`,
    });
    expect(found).toEqual([
      "mgr.yaml:3:16 templates.t.command: has an unclosed single quote at character 6",
      "mgr.yaml:3:40 templates.t.depends_on[0]: there is no process 'nobody'",
    ]);
  });

  it("do not grow without bound if each extends the previous one twice", async () => {
    const chain = Array.from({ length: 60 }, (_, n) => `  t${n + 1}: {extends: [t${n}, t${n}]}\n`).join("");
    const config = await load({ "mgr.yaml": `${INSTANCE}templates:\n  t0: {command: x}\n${chain}processes: {p: {extends: t60}}\n` });
    expect(config.processes.get("p")?.command.text).toBe("x");
  });
});

describe("values from variables", () => {
  it("have the type that their key requires", async () => {
    const config = await load(
      {
        "mgr.yaml": `${INSTANCE}processes: {p: {command: x, autostart: "\${AUTO}", ready: {tcp: "\${PORT}"}, environment: {V: "\${VERSION}"}}}\n`,
      },
      { AUTO: "true", PORT: "8080", VERSION: "1.10" },
    );
    expect(config.processes.get("p")).toMatchObject({ autostart: true, ready: { kind: "tcp", port: 8_080 }, environment: { V: "1.10" } });
  });

  it("are refused like values in the file", async () => {
    const found = await problems(
      { "mgr.yaml": `${INSTANCE}processes: {p: {command: x, autostart: "\${AUTO}", depends_on: ["\${NAME}"]}}\n` },
      { AUTO: "maybe", NAME: "nobody" },
    );
    expect(found).toEqual([
      "mgr.yaml:2:40 processes.p.autostart: must be true or false, found 'maybe'",
      "mgr.yaml:2:64 processes.p.depends_on[0]: there is no process 'nobody'",
    ]);
  });
});
