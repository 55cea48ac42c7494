import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";

interface Row {
  readonly name: string;
  readonly state: string;
  readonly pid: number | null;
  readonly replicas: { readonly count: number; readonly configured: number } | null;
}

test("replicas are scaled up and down, also for the next manager, and a rolling restart ends at the one that fails", async () => {
  await using instance = await Instance.up({
    processes: {
      worker: {
        command: "test ! -e broken/{index} && echo up {index} && exec sleep 1000",
        replicas: 2,
        autostart: true,
        ready: { regex: "up {index}" },
      },
    },
  });
  const rows = async () => JSON.parse((await instance.mgr("ps", "--json", "worker")).stdout) as Row[];
  const refused = (command: string, ...args: string[]) => instance.run(command, "-c", instance.config, ...args);
  const runs = async () => (await rows()).map(({ name, state, pid }) => [name, state, pid] as const);
  expect((await instance.mgr("wait", "worker")).code).toBe(0);

  const up = await instance.mgr("scale", "worker=3");
  expect(up.stdout).toBe("worker: 2 → 3\nworker/3: ready\n");
  expect((await instance.mgr("ps")).stdout).toMatch(/worker\/3 +ready .*3\/3 \(configured 2\)/);

  instance.kill("manager");
  await instance.foreground.ended;
  await instance.start("up", "-c", instance.config).up();
  expect((await instance.mgr("wait", "worker")).code).toBe(0);
  const before = await runs();
  expect(before.map(([name, state]) => `${name} ${state}`)).toEqual(["worker/1 ready", "worker/2 ready", "worker/3 ready"]);

  const rolled = await instance.mgr("restart", "--rolling", "worker");
  expect(rolled).toMatchObject({
    code: 0,
    stdout: [1, 2, 3].map((at) => `worker/${at}: restarting (${at} of 3)\nworker/${at}: restarted\n`).join(""),
  });
  const after = await runs();
  expect(after.map(([name]) => name)).toEqual(before.map(([name]) => name));
  for (const [at, [, , pid]] of after.entries()) expect(pid).not.toBe(before[at]?.[2]);

  mkdirSync(join(instance.dir, "broken"));
  writeFileSync(join(instance.dir, "broken", "2"), "");
  const failed = await refused("restart", "--rolling", "worker");
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain("worker/2: failed: exit code 1");
  expect(failed.stderr).toContain("the rolling restart ended because 'worker/2' failed; restarted: 'worker/1'; not restarted: 'worker/3'");
  expect((await runs())[2]).toEqual(after[2]);
  rmSync(join(instance.dir, "broken"), { recursive: true });

  expect((await instance.mgr("scale", "worker=1")).stdout).toBe("worker: 3 → 1\n");
  expect(await rows()).toMatchObject([{ name: "worker/1", state: "ready", replicas: { count: 1, configured: 2 } }]);
  expect(await refused("scale", "worker=101")).toMatchObject({ code: 2 });
  expect(await refused("scale", "gone=2")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("no process 'gone' with replicas"),
  });
});
