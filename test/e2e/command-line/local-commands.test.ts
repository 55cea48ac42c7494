import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";

const PROCESSES = {
  clock: { command: "echo tick; exec sleep 1000", ready: { regex: "tick" } },
  other: { command: "sleep 1000" },
};

test("commands work without an auth file, as the system's user, while the port stays closed", async () => {
  await using instance = new Instance({ instance: { webui_auth_file: undefined }, processes: PROCESSES });
  rmSync(instance.authFile);
  await instance.mgr("up", "--detach");
  const commands: [string[], RegExp][] = [
    [["start", "clock"], /^clock: ready/m],
    [["ps"], /clock +ready/],
    [["logs", "clock"], /tick/],
    [["log"], new RegExp(`local:${userInfo().username}`)],
    [["call", '{"type":"request_process_detail","name":"clock"}'], /"ok": ?true/],
    [["save-all", "archive.tar.bz2"], /archive\.tar\.bz2: \d+ bytes/],
    [["stop", "clock"], /clock: stopped/],
  ];
  for (const [[command = "", ...args], printed] of commands)
    expect((await instance.mgr(command, ...args)).stdout, command).toMatch(printed);
  expect(readFileSync(join(instance.dir, "archive.tar.bz2")).subarray(0, 3).toString()).toBe("BZh");

  expect((await fetch(`${instance.url}/mgr/log`)).status).toBe(403);
  const refused = await instance.run("ps", "-c", instance.config, "--url", instance.url);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("no auth file is configured") });
  await instance.mgr("down");
  const down = await instance.run("ps", "-c", instance.config);
  expect(down).toMatchObject({ code: 1, stderr: `mgr: 'e2e' is not running. Start it with: mgr up -c ${instance.config}\n` });
});

test("commands work while the auth file is broken; only the page and scripts have to wait", async () => {
  await using instance = await Instance.up({ processes: PROCESSES });
  rmSync(instance.authFile);
  mkdirSync(instance.authFile);
  expect((await instance.fetch("/")).status).toBe(403);
  expect((await instance.mgr("ps")).stdout).toContain("clock");

  await instance.mgr("start", "clock");
  instance.kill("manager");
  const { stderr } = await instance.run("ps", "-c", instance.config);
  expect(stderr).toContain(
    "the manager of 'e2e' is not running, but 1 process still runs, and the host restarts what fails. Take over with: mgr up",
  );
  expect(stderr).toContain(`mgr up -c ${instance.config}\n`);
});

test("with --url and MGR_WEBUI_AUTH_FILE a command needs no configuration", async () => {
  await using instance = await Instance.up({ processes: PROCESSES });
  const elsewhere = join(instance.dir, "elsewhere");
  mkdirSync(elsewhere);
  instance.extra.MGR_WEBUI_AUTH_FILE = instance.authFile;
  const { stdout } = await instance.run("ps", "-c", join(elsewhere, "mgr.yaml"), "--url", instance.url);
  expect(stdout).toContain("clock");
  const file = join(elsewhere, "archive.tar.bz2");
  expect((await instance.run("save-all", file, "-c", join(elsewhere, "mgr.yaml"), "--url", instance.url)).stdout).toContain("bytes");
});
