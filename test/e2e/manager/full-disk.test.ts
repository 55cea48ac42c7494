import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { savedIntents } from "../support/intent-file.ts";
import { isAlive } from "../support/marked.ts";
import { ECHO } from "../support/shell.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { eventually } from "../support/wait.ts";

const processes = { kept: { command: ECHO, autostart: true }, idle: { command: ECHO } };

test("mgr up on a full disk adopts, starts and stops, reports that requests cannot be saved, and saves them once there is room", async () => {
  await using instance = new Instance({ processes });
  using disk = new SmallDisk(instance.stateDir);
  await instance.mgr("up", "--detach");
  const first = await instance.connect();
  await eventually("it runs", async () => (await first.process("kept")).state === "started");
  const { pid } = await first.process("kept");
  const killed = instance.kill("manager");
  await eventually("the manager is dead", () => !isAlive(killed));
  disk.fill();

  await instance.mgr("up", "--detach");
  const client = await instance.connect();
  await eventually("it is adopted", async () => (await client.process("kept")).pid === pid);
  expect((await client.snapshot()).manager).toMatchObject({ save_problem: expect.stringContaining("ENOSPC") });
  expect((await instance.mgr("ps")).stderr).toContain("requests cannot be saved");
  expect((await instance.mgr("log")).stdout).toContain("a crash would forget it until the disk works again");
  await instance.mgr("start", "idle");
  await instance.mgr("stop", "kept");
  expect(isAlive(pid ?? 0)).toBe(false);
  expect((await savedIntents(instance.stateDir)).idle?.requested_state).toBeUndefined();

  const start = client.here;
  disk.makeRoom();
  await client.until(
    "it is saved",
    ({ type, manager }) => type === "manager_upsert" && (manager as { save_problem: string | null }).save_problem === null,
    start,
  );
  expect(await savedIntents(instance.stateDir)).toMatchObject({ idle: { requested_state: "start" }, kept: { requested_state: "stop" } });
  expect((await instance.mgr("ps")).stderr).toBe("");
  await instance.mgr("down");
  expect(instance.living()).toEqual([]);
});

test("mgr up on a full disk ends on a signal", async () => {
  await using instance = new Instance({ processes });
  using disk = new SmallDisk(instance.stateDir);
  await instance.mgr("up", "--detach");
  await instance.mgr("down");
  disk.fill();
  const foreground = instance.start("up", "-c", instance.config);
  await foreground.up();
  await eventually("its process runs", () => / 'kept' changes state from 'starting' to 'started'/.test(foreground.stdout));
  foreground.child.kill("SIGTERM");
  expect((await foreground.ended).code).toBe(0);
  expect(instance.living()).toEqual([]);
});

test.each([
  ["in the foreground", []],
  ["that detaches", ["--detach"]],
])("a first start on a full disk fails with one sentence, %s", async (_how, flags) => {
  await using instance = new Instance({ processes });
  using disk = new SmallDisk(instance.stateDir);
  disk.fill();
  const { code, stderr } = await instance.run("up", ...flags, "-c", instance.config);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^mgr: the disk of .* is full: make room there, then start again \(.*\)\n$/);
  expect(instance.living()).toEqual([]);
});
