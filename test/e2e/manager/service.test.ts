import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UserSystemd } from "../support/user-systemd.ts";
import { eventually } from "../support/wait.ts";

const UNIT = `mgr-e2e-${process.pid}`;
const NAMED = ["--user", "--name", UNIT];
/** A process that ignores SIGTERM, and whose child leaves its session. */
const CONFIGURATION = `
instance: {name: unit, manager: "localhost:0", state_dir: state}
processes:
  steady: {command: "trap '' TERM; setsid sleep 100001 & exec sleep 100000", autostart: true, stop: {timeout: 7s}}
`;

let systemd: UserSystemd;
let config: string;
beforeAll(async () => {
  systemd = await UserSystemd.start();
  config = systemd.write("mgr.yaml", CONFIGURATION);
});
afterAll(() => systemd?.[Symbol.asyncDispose]());

async function status(): Promise<Record<string, unknown>> {
  return JSON.parse((await systemd.mgr("service", "status", ...NAMED, "--json")).stdout) as Record<string, unknown>;
}

async function pidOfSteady(): Promise<number> {
  const [process] = JSON.parse((await systemd.mgr("ps", "-c", config, "--json")).stdout) as { pid: number }[];
  return process?.pid ?? 0;
}

/** What runs beside systemd and the test's own commands. */
async function programs(): Promise<string[]> {
  const { stdout } = await systemd.run("ps", "-e", "-o", "args=");
  return stdout.split("\n").filter((line) => /sleep 10000|mgr\.js|daemon\.cjs/.test(line));
}

test("an installed service is up when the command ends; a killed manager is started again and adopts its processes", async () => {
  // The command of the document, in the folder of the configuration.
  const document = readFileSync(new URL("../../../docs/service.md", import.meta.url), "utf8");
  const [, command = ""] = /```sh\nmgr (.*?)\n```/.exec(document) ?? [];
  expect(command).toBe("service install --user");
  const installed = await systemd.mgr(...command.split(" "), "--name", UNIT);
  expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining("the service is active") });
  const before = await status();
  expect(before).toMatchObject({ unit: `${UNIT}.service`, active: true, state: "running", enabled: true, restarts: 0 });
  const steady = await pidOfSteady();
  expect(steady).toBeGreaterThan(1);

  await systemd.run("kill", "-KILL", String(before.pid));
  await eventually("systemd has started the manager again", async () => {
    const { active, restarts } = await status();
    return active === true && restarts === 1;
  });
  expect(await pidOfSteady()).toBe(steady);
});

test("a stop of the service ends all trees, also when the manager does not end in time", async () => {
  expect(await programs()).not.toEqual([]);
  expect(await systemd.run("systemctl", "--user", "stop", UNIT)).toMatchObject({ code: 0, stderr: "" });
  expect(await programs()).toEqual([]);
  expect(await systemd.mgr("service", "status", ...NAMED)).toMatchObject({ code: 1, stdout: expect.stringContaining("inactive (dead)") });

  const dropIn = join(systemd.dir, `.config/systemd/user/${UNIT}.service.d`);
  mkdirSync(dropIn);
  writeFileSync(join(dropIn, "short.conf"), "[Service]\nTimeoutStopSec=5\n");
  await systemd.run("systemctl", "--user", "daemon-reload");
  expect(await systemd.run("systemctl", "--user", "start", UNIT)).toMatchObject({ code: 0 });
  await eventually("the manager, its daemon and both processes run", async () => (await programs()).length === 4);
  await systemd.run("systemctl", "--user", "stop", UNIT);
  expect(await status()).toMatchObject({ active: false, result: "timeout" });
  await eventually("the daemon has ended with its trees", async () => (await programs()).length === 0);
});

test("uninstalling a service removes its unit", async () => {
  const file = join(systemd.dir, `.config/systemd/user/${UNIT}.service`);
  expect(readFileSync(file, "utf8")).toContain("KillMode=process");
  expect(await systemd.mgr("service", "uninstall", ...NAMED)).toMatchObject({ code: 0, stderr: "" });
  expect(existsSync(file)).toBe(false);
  expect(await systemd.mgr("service", "status", ...NAMED)).toMatchObject({ code: 3 });
});
