import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { type Configuration, Instance } from "../support/instance.ts";
import { TerminalSession } from "../support/terminal.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures/import", import.meta.url));
/** Files of each kind whose programs are on every machine, one of them with 60 programs. */
const STARTED = [
  "process-compose/bench",
  "compose/site",
  "supervisord/app",
  "supervisord/sixty",
  "pm2/api",
  "procfile/plain",
  "systemd/camera",
];
/** What they print, with the values of their variables. */
const PRINTED = [
  "simulating with step 10",
  "migrated",
  "listening on 8080",
  "web 01 of test",
  "serving --port 3000 on 3001 as 1",
  "listening on 5000 for the site",
  "calibrated",
  "preparing left",
  "camera right at 30",
];

test("processes from a file of each kind start", async () => {
  await using instance = new Instance({ processes: {} });
  const processes: Record<string, unknown> = {};
  for (const path of STARTED) {
    cpSync(join(FIXTURES, path), join(instance.dir, path), { recursive: true });
    const { code, stdout, stderr } = await instance.run("import", path, "--json");
    expect(code, stderr).toBe(0);
    const [kind = ""] = path.split("/");
    const { configuration } = JSON.parse(stdout) as { configuration: string };
    const own = parse(configuration) as Configuration & { processes: Record<string, { depends_on?: Record<string, unknown> }> };
    for (const [name, process] of Object.entries(own.processes)) {
      // Names are unique in one instance only with the kind.
      const depends_on = Object.fromEntries(Object.entries(process.depends_on ?? {}).map(([on, how]) => [`${kind}/${on}`, how]));
      const environment = { ...own.defaults?.environment, ...(process as { environment?: object }).environment };
      const env_file = own.defaults?.env_file;
      processes[`${kind}/${name}`] = { ...(env_file === undefined ? {} : { env_file }), ...process, environment, depends_on };
    }
  }
  instance.write({ processes });
  await instance.mgr("up", "--detach");
  // Processes that depend on these start when they have completed.
  const running = Object.keys(processes).filter((name) => !/\/(setup|migrate|calibration)$/.test(name));
  await instance.mgr("wait", ...running, "--for", "started");
  const missing = async () => {
    const { stdout } = await instance.mgr("logs");
    return PRINTED.filter((text) => !stdout.includes(text));
  };
  await expect.poll(missing).toEqual([]);
  await instance.mgr("down");
});

test("mgr import writes only a new file, reports on stderr or as JSON, and runs JavaScript only when it may", async () => {
  await using instance = new Instance({ processes: {} });
  const file = (name: string, text: string) => writeFileSync(join(instance.dir, name), text);
  file("site.conf", "[program:web]\ncommand=sleep 1\npriority=5\n");
  const shown = await instance.run("import", "site.conf");
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("command: sleep 1") });
  expect(shown.stderr).toContain("  site.conf:3  program:web.priority: there are no priorities");

  expect(await instance.run("import", "site.conf", "-o", "new.yaml")).toMatchObject({ code: 0, stdout: "" });
  expect(statSync(join(instance.dir, "new.yaml")).mode & 0o777).toBe(0o600);
  const again = await instance.run("import", "site.conf", "-o", "new.yaml");
  expect(again).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("already exists and was not changed. Name another file with -o, or add --force"),
  });
  file("site.conf", "[program:other]\ncommand=sleep 2\n");
  const { code, stdout } = await instance.run("import", "site.conf", "-o", "new.yaml", "--force", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ kind: "supervisord", processes: ["other"], dropped: [], configuration: null });
  expect(instance.read("new.yaml")).toContain("command: sleep 2");

  file(
    "ecosystem.config.js",
    "require('fs').writeFileSync('ran', ''); console.log('noise'); module.exports = {apps: [{script: './a.sh'}]};\n",
  );
  expect(await instance.run("import", "ecosystem.config.js")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("--run-javascript"),
  });
  expect(readdirSync(instance.dir)).not.toContain("ran");
  expect((await instance.run("import", "--run-javascript", "ecosystem.config.js")).stdout).toContain("command: bash ./a.sh");
  file("ecosystem.config.js", "throw new Error('not today');\n");
  const thrown = await instance.run("import", "--run-javascript", "ecosystem.config.js");
  expect(thrown).toMatchObject({ code: 1, stderr: expect.stringContaining("not today") });

  file("compose.yaml", "services: {db: {image: postgres}}\n");
  const nothing = await instance.run("import", "--check", "compose.yaml");
  expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining("no process could be imported") });
  expect(nothing.stdout).toContain("it has no command: it runs what the image 'postgres' starts");
  expect(await instance.run("import", ".")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("has several: compose.yaml, ecosystem.config.js"),
  });
});

test("mgr init offers to import what is beside the configuration, and without a terminal says how", async () => {
  await using instance = new Instance({ processes: {} });
  rmSync(instance.config);
  writeFileSync(join(instance.dir, "Procfile"), "web: echo port $PORT\nworker: run\n");
  const processes = async () => (JSON.parse((await instance.mgr("check", "--json")).stdout) as { processes: string[] }).processes;
  const answer = async (key: string) => {
    const size = { rows: 20, cols: 120 };
    using terminal = new TerminalSession(["init", "-c", instance.config], { ...size, environment: instance.environment });
    await terminal.untilShown(/Import the processes of \S*Procfile\? \[Y\/n\]/);
    terminal.type(key);
    return (await terminal.ended).exitCode;
  };
  expect(await answer("\x03")).toBe(1);
  expect(readdirSync(instance.dir)).not.toContain("mgr.yaml");
  expect(await answer("\r")).toBe(0);
  expect(await processes()).toEqual(["web", "worker"]);
  rmSync(instance.config);
  expect(await answer("n\r")).toBe(0);
  expect(await processes()).toContain("clock");
  rmSync(instance.config);
  expect((await instance.mgr("init")).stdout).toMatch(/Procfile: not imported; 'mgr init --import \S*Procfile' does/);
  rmSync(instance.config);
  expect(await instance.run("init", "--import", "missing")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("missing does not exist"),
  });
  expect(readdirSync(instance.dir)).not.toContain("mgr.yaml");
});

test("the example of docs/import.md gives what stands there", async () => {
  const document = readFileSync(fileURLToPath(new URL("../../../docs/import.md", import.meta.url)), "utf8");
  const [, ini = ""] = /```ini\n(.*?)```/s.exec(document) ?? [];
  const [, yaml = ""] = /```yaml\n(.*?)```/s.exec(document) ?? [];
  const [, report = ""] = /```text\n(.*?)```/s.exec(document) ?? [];
  await using instance = new Instance({ processes: {} });
  mkdirSync(join(instance.dir, "site"));
  writeFileSync(join(instance.dir, "site/supervisord.conf"), ini);
  const { code, stderr } = await instance.run("import", "site/supervisord.conf", "-o", "site/mgr.yaml");
  expect(code).toBe(0);
  expect(stderr).toBe(report);
  expect(instance.read("site/mgr.yaml")).toContain(`\n${yaml}`);
  expect(await instance.run("check", "-c", "site/mgr.yaml")).toMatchObject({ code: 0 });
});

test("mgr up in a folder without a configuration names what can be imported from it", async () => {
  await using instance = new Instance({ processes: {} });
  rmSync(instance.config);
  expect(await instance.run("up")).toMatchObject({ code: 2, stderr: expect.stringMatching(/Create one with: mgr init\n$/) });
  writeFileSync(join(instance.dir, "Procfile"), "web: sleep 1000\n");
  expect(await instance.run("up")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("mgr init, or from Procfile with: mgr import Procfile -o mgr.yaml"),
  });
});
