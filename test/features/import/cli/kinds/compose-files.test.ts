import { expect, test } from "vitest";
import { importTexts } from "../imported.ts";

/** The published rules: docs.docker.com/reference/compose-file/{merge,services/#extends,include}. */

test("a service has the keys of the one that it extends: mappings and lists together, commands replaced, dependencies kept", async () => {
  const { processes, lost } = await importTexts({
    "compose.yaml": `
x-shared: &shared {restart: "on-failure:3"}
services:
  base:
    command: serve --slow
    environment: [A=1, B=2]
    env_file: base.env
    depends_on: [db]
    stop_grace_period: 5s
    healthcheck: {test: [CMD, check, slow], interval: 3s}
  web:
    <<: *shared
    extends: {service: base}
    command: [serve, --fast]
    environment: {B: "3", C: "4"}
    env_file: [{path: web.env}]
    depends_on: {cache: {condition: service_started}}
    healthcheck: {test: check fast}
  db: {command: db}
  cache: {command: cache}
`,
  });
  expect(processes.web).toMatchObject({
    command: "serve --fast",
    environment: { A: "1", B: "3", C: "4" },
    env_file: ["base.env", "web.env"],
    restart: { policy: "on-failure", max_restarts: 3 },
    stop: { timeout: "5s" },
    ready: { exec: "check fast", interval: "3s" },
  });
  expect(Object.keys(processes.web?.depends_on as object)).toEqual(["db", "cache"]);
  expect(lost).toEqual([]);
});

test("paths of a service in another file refer to that file's folder, also over several files", async () => {
  const { processes, report } = await importTexts({
    "compose.yaml":
      "services:\n  web:\n    extends: {file: common/services.yaml, service: web}\n    command: run\n    working_dir: /code/api\n",
    "common/services.yaml":
      "services:\n  web:\n    extends: {file: deep/base.yaml, service: web}\n    env_file: [own.env]\n    volumes: ['./src:/code']\n",
    "common/deep/base.yaml": "services:\n  web: {env_file: ../../root.env, volumes: ['./old:/code', '/data:/data'], image: x}\n",
  });
  expect(processes.web).toMatchObject({ env_file: ["root.env", "common/own.env"], cwd: "common/src/api" });
  expect(report.carried.filter(({ key }) => key.endsWith(".extends"))).toHaveLength(2);
  expect(report.files.map((file) => file.split("/").at(-1))).toEqual(["compose.yaml", "services.yaml", "base.yaml"]);
});

test("services that extend one another, and files that include one another, are errors that name the chain", async () => {
  const extending = (name: string, of: string) => `  ${name}: {command: x, extends: ${of}}\n`;
  await expect(
    importTexts({ "compose.yaml": `services:\n${extending("a", "b")}${extending("b", "c")}${extending("c", "a")}` }),
  ).rejects.toThrow(
    /compose\.yaml:4: \S*compose\.yaml a extends \S*compose\.yaml b extends \S*compose\.yaml c extends \S*compose\.yaml a: that has no end/,
  );
  const including = (file: string) => `include: [${file}]\nservices: {}\n`;
  await expect(
    importTexts({ "compose.yaml": including("a.yaml"), "a.yaml": including("b.yaml"), "b.yaml": including("a.yaml") }),
  ).rejects.toThrow(/b\.yaml:1: \S*a\.yaml includes \S*b\.yaml includes \S*a\.yaml: that has no end/);
  const chain = Array.from({ length: 40 }, (_, index) => extending(`s${index}`, `s${index + 1}`)).join("");
  await expect(importTexts({ "compose.yaml": `services:\n${chain}` })).rejects.toThrow(/more than 32 extends one another/);
});

test("included services have the paths and variables of their own folder, and of two with one name the including file's counts", async () => {
  const { processes, report } = await importTexts({
    "compose.yaml":
      "include:\n  - db/compose.yaml\n  - {path: [tools/a.yaml, tools/b.yaml], project_directory: ., env_file: tools/t.env}\nservices:\n  web: {command: web, depends_on: [db]}\n",
    ".env": "SHARED=root\n",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is how the file writes variables.
    "db/compose.yaml": "services:\n  db: {command: 'db ${PORT} ${SHARED}', env_file: db.env}\n  web: {command: other}\n",
    "db/.env": "PORT=5432\nSHARED=inner\n",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is how the file writes variables.
    "tools/a.yaml": "services:\n  tool: {command: 'tool ${LEVEL}', env_file: [tool.env]}\n",
    "tools/b.yaml": "services:\n  tool: {environment: {B: '1'}}\n",
    "tools/t.env": "LEVEL=7\n",
  });
  expect(Object.keys(processes)).toEqual(["web", "db", "tool"]);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is how mgr writes variables.
  expect(processes.db).toMatchObject({ command: ["db", "${PORT:-5432}", "${SHARED:-root}"], cwd: "db", env_file: ["db/db.env"] });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is how mgr writes variables.
  expect(processes.tool).toMatchObject({ command: ["tool", "${LEVEL:-7}"], env_file: ["tool.env"], environment: { B: "1" } });
  expect(Object.keys(processes.web?.depends_on as object)).toEqual(["db"]);
  expect(report.dropped.map(({ key, why }) => `${key}: ${why}`)).toEqual([
    "services.web: 'web' is a service of the including file, too, which counts",
  ]);
});

test("a file outside of the folder is read with --outside only, and a missing one is reported", async () => {
  const files = {
    "app/compose.yaml":
      "include: [../more.yaml, none.yaml]\nservices:\n  web: {command: web, extends: {file: ../more.yaml, service: base}}\n",
    "more.yaml": "services:\n  base: {command: base, stop_signal: INT}\n",
  };
  const { report, lost } = await importTexts(files);
  expect(report.processes).toEqual(["web"]);
  expect(lost).toEqual(["3 services.web.extends", "1 include", "1 include"]);
  expect(report.dropped[0]?.why).toMatch(/more\.yaml is outside of the folder '\S+app'$/);
  expect(report.dropped[2]?.why).toMatch(/none\.yaml does not exist$/);
  const all = await importTexts(files, { outside: true });
  expect(all.report.processes).toEqual(["web", "base"]);
  expect(all.processes.web?.stop).toEqual({ signal: "SIGINT" });
});

test("compose.override.yaml beside the file is merged, as Docker Compose does", async () => {
  const { processes } = await importTexts({
    "compose.yaml": "services: {web: {command: web, environment: {A: '1'}}}\n",
    "compose.override.yaml": "services: {web: {environment: {A: '2'}}, debug: {command: debug, profiles: [debug, dev]}}\n",
  });
  expect(processes.web?.environment).toEqual({ A: "2" });
  expect(processes.debug).toMatchObject({ autostart: false, tags: ["debug", "dev"] });
});
