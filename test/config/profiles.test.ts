// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how variables are written in a configuration.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Config } from "../../src/config/definition.ts";
import { fileReader, loadConfigFile } from "../../src/config/load/load.ts";
import { ConfigError } from "../../src/config/schema/problems.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mgr-profiles-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function load(files: Record<string, string>, profiles: string[] = ["dev"]): Promise<Config> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return loadConfigFile(join(folder, "mgr.yaml"), { environment: {}, profiles });
}

/** "file:line:column path: message" of each problem, files relative to the folder. */
async function problems(files: Record<string, string>, profiles?: string[]): Promise<string[]> {
  try {
    await load(files, profiles);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((one) => `${one.file.replace(`${folder}/`, "")}:${one.line}:${one.column} ${one.path}: ${one.message}`);
  }
  return [];
}

const MAIN = `instance: {name: t, manager: ":0"}
processes:
  db:
    command: postgres
    environment: {MODE: safe, LEVEL: info}
    pass_environment: [DISPLAY, LANG]
  api: {command: api --port 80, depends_on: [db]}
`;

describe("profiles", () => {
  it("merge mappings by key, replace lists and single values, and remove what is null", async () => {
    const overlay = `instance: {manager: ":8131"}
processes:
  db:
    environment: {MODE: fast, LEVEL: null, EXTRA: 1.10}
    pass_environment: [SHELL]
  api: {command: api --debug, depends_on: null}
  tools: {command: tools}
`;
    const config = await load({ "mgr.yaml": MAIN, "mgr.dev.yaml": overlay });
    const { db, api, tools } = Object.fromEntries(config.processes);
    expect(db?.command.text).toBe("postgres");
    expect({ ...db?.environment }).toEqual({ MODE: "fast", EXTRA: "1.10" });
    expect(db?.pass_environment).toEqual(["SHELL"]);
    expect(api?.command.text).toBe("api --debug");
    expect(api?.depends_on).toEqual([]);
    expect(tools?.command.text).toBe("tools");
    expect(config.instance.manager.port).toBe(8131);
    expect(config.instance.name).toBe("t");
    expect([...config.processes.keys()]).toEqual(["db", "api", "tools"]);
  });

  it("are applied in their order, and belong to the files of the configuration", async () => {
    const files = {
      "mgr.yaml": MAIN,
      "mgr.dev.yaml": "processes: {db: {command: dev-db}, api: {command: dev-api}}\n",
      "mgr.fast.yaml": "processes: {api: {command: fast-api}}\n",
    };
    const config = await load(files, ["dev", "fast"]);
    expect([...config.processes.values()].map(({ command }) => command.text)).toEqual(["dev-db", "fast-api"]);
    expect(config.profiles).toEqual(["dev", "fast"]);
    expect(config.files.map((file) => file.replace(`${folder}/`, ""))).toEqual(["mgr.yaml", "mgr.dev.yaml", "mgr.fast.yaml"]);
    expect(config.hashes.size).toBe(3);
    const turned = await load(files, ["fast", "dev"]);
    expect(turned.processes.get("api")?.command.text).toBe("dev-api");
  });

  it("leave alone what has no value, and take effect only when they are chosen", async () => {
    const files = { "mgr.yaml": MAIN, "mgr.dev.yaml": "processes:\n  db:\n  # command: x\n" };
    expect((await load(files)).processes.get("db")?.command.text).toBe("postgres");
    expect((await load({ "mgr.dev.yaml": "# nothing yet\n" })).processes.size).toBe(2);
    expect((await load({ "mgr.dev.yaml": "processes: {db: {command: x}}\n" }, [])).processes.get("db")?.command.text).toBe("postgres");
  });

  it("change what included files define, and override variables of the main file", async () => {
    const config = await load({
      "mgr.yaml": `instance: {name: t, manager: ":0"}\ndefines: {RATE: 100}\ninclude: [parts/*.yaml]\nprocesses: {main: {command: "x \${RATE}"}}\n`,
      "parts/sim.yaml": 'processes: {world: {command: "world ${RATE}", cwd: data}, gone: {command: x}}\ngroups: {sim: {}}\n',
      "mgr.dev.yaml":
        "defines: {RATE: 7}\nprocesses: {world: {cwd: other}, gone: null, sim/new: {command: new}}\ngroups: {sim: {opened: false}}\n",
    });
    expect([...config.processes.values()].map(({ name, command }) => `${name}: ${command.text}`)).toEqual([
      "main: x 7",
      "sim/new: new",
      "world: world 7",
    ]);
    expect(config.processes.get("world")).toMatchObject({ cwd: "other", base_dir: join(folder, "parts") });
    expect(config.groups.get("sim")?.opened).toBe(false);
  });

  it("keep the place of each problem in the file that has the value", async () => {
    const found = await problems({
      "mgr.yaml": `${MAIN}  worse: {command: x, umask: 9}\n`,
      "mgr.dev.yaml": "processes:\n  db: {comand: x}\n  api:\n    depends_on: [dv]\n    ready_timeout: soon\n",
    });
    expect(found).toEqual([
      expect.stringMatching(/^mgr\.yaml:8:\d+ processes\.worse\.umask: must be /),
      expect.stringMatching(/^mgr\.dev\.yaml:2:8 processes\.db\.comand: unknown key; did you mean/),
      expect.stringMatching(/^mgr\.dev\.yaml:4:18 processes\.api\.depends_on\.?\[?0\]?: there is no process 'dv'; did you mean/),
      expect.stringMatching(/^mgr\.dev\.yaml:5:20 processes\.api\.ready_timeout: must be /),
    ]);
  });

  it("report a removal of what does not exist, an empty value, and a missing key at the line that removed it", async () => {
    const overlay = "processes:\n  db: {command: null}\n  api: {command: }\n  other: ~\n";
    expect(await problems({ "mgr.yaml": MAIN, "mgr.dev.yaml": overlay })).toEqual([
      "mgr.dev.yaml:2:8 processes.db.command: is missing; it must be a command: a string, or a list of words",
      "mgr.dev.yaml:3:9 processes.api.command: is empty; write a value, or null to remove what the files before this one have",
      "mgr.dev.yaml:4:3 processes.other: cannot be removed: no file before this one has it",
    ]);
  });

  it("report YAML that cannot be read in the file of a profile", async () => {
    expect(await problems({ "mgr.yaml": MAIN, "mgr.dev.yaml": "processes:\n\tdb: x\n" })).toEqual([
      expect.stringMatching(/^mgr\.dev\.yaml:2:1 : the indentation contains a tab/),
    ]);
  });

  it("name the file that is missing, and the profiles that there are", async () => {
    const files = { "mgr.yaml": MAIN, "mgr.dev.yaml": "", "mgr.ci.yaml": "", "other.lab.yaml": "" };
    expect(await problems(files, ["lab"])).toEqual([
      "mgr.lab.yaml:1:1 : does not exist, so mgr.yaml has no profile 'lab'; there are ci, dev",
    ]);
    expect(await problems({}, ["dve"])).toEqual([expect.stringContaining("has no profile 'dve'; did you mean 'dev'?")]);
    expect(await problems({}, ["../dev"])).toEqual([expect.stringContaining("'../dev' is not the name of a profile")]);
    expect(await problems({}, ["dev", "dev"])).toEqual([expect.stringContaining("the profile 'dev' is named twice")]);
  });

  it("work as in docs/profiles.md", async () => {
    const page = await readFile(join(import.meta.dirname, "../../docs/profiles.md"), "utf8");
    const [main = "", dev = ""] = [...page.matchAll(/^```yaml\n(.*?)^```/gmsu)].map(([, text = ""]) => text);
    const { instance, processes } = await load({ "mgr.yaml": main, "mgr.dev.yaml": dev });
    expect(instance).toMatchObject({ name: "demo", manager: { host: "localhost", port: 8131 } });
    expect({ ...processes.get("db")?.environment }).toEqual({ LEVEL: "debug" });
    expect([...processes.keys()]).toEqual(["db", "api", "mail"]);
  });

  it("are read again with the file", async () => {
    const config = await load({ "mgr.yaml": MAIN, "mgr.dev.yaml": "processes: {db: {command: first}}\n" });
    await writeFile(join(folder, "mgr.dev.yaml"), "processes: {db: {command: second}}\n");
    const again = await fileReader(config)?.();
    expect(again?.processes.get("db")?.command.text).toBe("second");
    expect(again?.profiles).toEqual(["dev"]);
  });
});
