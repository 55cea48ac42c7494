import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

test("mgr up comes up and adopts where its name in the runtime folder is taken; commands find it while the configuration is broken", async () => {
  await using instance = new Instance({ processes: { echo: { command: ECHO, autostart: true } } });
  const runtime = join(instance.dir, "taken");
  mkdirSync(runtime, { mode: 0o700 });
  writeFileSync(join(runtime, "mgr"), "");
  instance.extra.XDG_RUNTIME_DIR = runtime;
  await instance.mgr("up", "--detach");
  const { socket } = instance.lockOf("manager");
  expect(socket.startsWith(runtime)).toBe(false);
  const log = instance.read("state/manager.log");
  expect(log).toContain(`sockets are in ${dirname(socket)}: ${runtime}`);
  const client = await instance.connect();
  await eventually("it is started", async () => (await client.process("echo")).state === "started");
  const { pid } = await client.process("echo");

  instance.kill("manager");
  await eventually("the manager is dead", () => instance.pidOf("manager") === null);
  await instance.mgr("up", "--detach");
  const next = await instance.connect();
  await eventually("it is adopted", async () => (await next.process("echo")).state === "started");
  expect((await next.process("echo")).pid).toBe(pid);

  writeFileSync(instance.config, "processes: [");
  expect(await instance.run("down", "-c", instance.config)).toMatchObject({ code: 0, stdout: "e2e is down\n" });
  rmSync(dirname(socket), { recursive: true });
});
