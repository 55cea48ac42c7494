import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

const STAND_STILL = fileURLToPath(new URL("../../fixtures/stand-still.cjs", import.meta.url));
const processes = { plain: { command: ECHO, autostart: true } };

test("a daemon that dies at its start is reported at once, with its own message", async () => {
  await using instance = new Instance({ processes });
  mkdirSync(join(instance.stateDir, "daemon.log"), { recursive: true });
  const outcome = await instance.run("up", "-c", instance.config);
  expect(outcome.code).toBe(1);
  expect(outcome.stderr).toContain("the host daemon ended (exit code 1)");
  expect(outcome.stderr).toContain("EISDIR");
  expect(outcome.stderr, "nobody waited for its hello").not.toContain("did not say hello");
  expect(instance.living()).toEqual([]);
});

test("a start that fails after the daemon was told to begin leaves nothing", async () => {
  await using instance = new Instance({ instance: { webui_https_cert_file: "missing.pem" }, processes });
  const outcome = await instance.run("up", "-c", instance.config);
  expect(outcome.code).toBe(1);
  expect(outcome.stderr).toContain("missing.pem");
  expect(instance.living()).toEqual([]);
});

test.each([
  ["in the foreground", [], "SIGINT"],
  ["that detaches", ["--detach"], "SIGINT"],
  ["in the foreground, hung up", [], "SIGHUP"],
] as const)("a signal during the start of an 'mgr up' %s leaves nothing", async (_how, flags, signal) => {
  await using instance = new Instance({ processes });
  instance.extra.NODE_OPTIONS = `--require ${STAND_STILL}`;
  const up = instance.start("up", ...flags, "-c", instance.config);
  await eventually("the daemon has its lock", () => instance.pidOf("daemon") !== null);
  up.child.kill(signal);
  const { code, stderr } = await up.ended;
  expect(code).toBe(1);
  expect(stderr).toContain("received during startup");
  expect(instance.living()).toEqual([]);
});

test("a daemon that is killed right after its start is replaced nevertheless", async () => {
  await using instance = await Instance.up({
    processes: { plain: { ...processes.plain, restart: { policy: "always", delay: "20ms" } } },
  });
  const client = await instance.connect();
  await eventually("it runs", async () => (await client.process("plain")).state === "started");
  const killed = new Set<number>();
  for (let deaths = 0; deaths < 3; deaths++) {
    // By its lock, which it has before its hello.
    const pid = await eventually("there is another daemon", () => {
      const holder = instance.pidOf("daemon");
      return holder !== null && !killed.has(holder) ? holder : null;
    });
    killed.add(pid);
    process.kill(pid, "SIGKILL");
  }
  await eventually("it runs again", async () => (await client.process("plain")).state === "started");
  expect(killed).not.toContain(instance.pidOf("daemon"));
});
