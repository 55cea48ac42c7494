import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { processesWith, uniqueSeconds } from "../../support/processes.ts";
import { exampleOf } from "../support/document-commands.ts";
import { type Configuration, Instance } from "../support/instance.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

// The examples of README.md, run as they stand there; only addresses are those of this test.

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const example = (heading: string, language: string) => exampleOf("README.md", heading, language);

/** A project of a user's own, in which the package is installed. */
function project(instance: Instance, file: string, code: string): string {
  mkdirSync(join(instance.dir, "node_modules"));
  symlinkSync(ROOT, join(instance.dir, "node_modules/mgr"));
  writeFileSync(join(instance.dir, "package.json"), '{"type": "module"}');
  writeFileSync(join(instance.dir, file), code);
  return join(instance.dir, file);
}

function program(instance: Instance, name: string, text: string): void {
  const file = join(instance.dir, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

test("scripting in five lines", async () => {
  await using instance = new Instance({ processes: { "sim/world": { command: ECHO, ready: { regex: "hello" } } } });
  writeFileSync(instance.authFile, "me secret\n", { mode: 0o600 });
  await instance.mgr("up", "--detach");
  const code = example("Scripting in five lines", "js").replace("http://localhost:8130", instance.url);
  mkdirSync(join(instance.dir, "node_modules"));
  symlinkSync(ROOT, join(instance.dir, "node_modules/mgr"));
  writeFileSync(join(instance.dir, "script.mjs"), code);
  // It ends by itself.
  const { stdout } = await promisify(execFile)(process.execPath, ["script.mjs"], { cwd: instance.dir });
  expect(stdout).toContain("hello");
});

test("embedding in five lines", async () => {
  await using instance = new Instance({ processes: {} });
  const seconds = uniqueSeconds();
  program(instance, "bin/postgres", `echo ready to accept; sleep 0.2; echo checkpoint; exec sleep ${seconds}`);
  const file = project(instance, "embed.ts", example("Embedding in five lines", "ts"));
  const tsx = pathToFileURL(join(ROOT, "node_modules/tsx/dist/esm/index.mjs")).href;
  const script = spawn(process.execPath, ["--import", tsx, file], {
    cwd: instance.dir,
    env: { ...instance.environment, PATH: `${instance.dir}/bin:${process.env.PATH}` },
    stdio: ["ignore", "inherit", "inherit"],
  });
  expect(await once(script, "exit")).toEqual([0, null]);
  expect(processesWith(seconds)).toEqual([]);
});

test("many hosts in ten lines", async () => {
  const configuration = parse(example("Many hosts in ten lines", "yaml")) as Configuration;
  await using instance = new Instance({ ...configuration, instance: { name: "bench", allowed_hosts: ["bench.lab"] } });
  const commands = example("Many hosts in ten lines", "sh").split("\n");
  program(instance, "driver", "echo driving; exec sleep 1000");
  program(instance, "viewer", "exec sleep 1000");
  const [token = ""] = (commands[0] ?? "").split("; scp ");
  expect(token).toContain("rt1.token");
  const made = spawn("/bin/sh", ["-ec", token], { cwd: instance.dir, stdio: "inherit" });
  expect(await once(made, "exit")).toEqual([0, null]);

  const up = instance.start("up", "-c", instance.config);
  await up.up();
  const [, , ...words] = (commands[2] ?? "").replace(/ *#.*/u, "").split(" ");
  expect(words).toContain("ws://bench.lab:8130");
  const bus = instance.url.replace(/^http/u, "ws");
  const args = words.map((word) => (word === "ws://bench.lab:8130" ? bus : word));
  instance.start("daemon", ...args, "--state-dir", join(instance.dir, "rt1-state"));
  const client = await instance.connect();
  await eventually("the driver runs", async () => (await client.process("arm/driver")).state === "started");
  expect(JSON.parse((await instance.mgr("ps", "--json", "arm/driver")).stdout)).toMatchObject([{ host: "rt1", state: "started" }]);
  expect((await instance.mgr("hosts")).stdout).toMatch(/^rt1 +ready +1\/1/mu);
  expect((await instance.mgr("start", "viewer")).stdout).toBe("viewer: started\n");
});
