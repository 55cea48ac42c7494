import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createManager } from "../../../../src/app/index.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-settings-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sleeper = (line = "exec sleep 1000") => ({ command: ["/bin/sh", "-c", line] });

test("what a process runs with is compared with its configuration, env files included; secrets are not shown", async () => {
  const file = join(folder, "app.env");
  writeFileSync(file, "FROM_FILE=before\nFILE_TOKEN=hidden\n");
  await using manager = await createManager({
    processes: {
      app: {
        ...sleeper("EXTRA=1 MODE=other exec sleep 1000"),
        cwd: folder,
        env_file: [file],
        environment: { MODE: "slow", PLAIN: "yes", API_KEY: "very secret" },
        limits: { nofile: 512 },
        scheduling: { nice: 3 },
      },
    },
  });
  await manager.process("app").start();
  const read = async () => {
    const { type: _type, ...found } = await manager.request({ type: "request_running_settings", name: "app" });
    return { found, row: (name: string) => found.settings.find((each) => each.name === name) };
  };
  // The shell becomes sleep: until then it has the environment that it was started with.
  await expect.poll(async () => (await read()).row("EXTRA")?.comparison).toBe("added");
  const { found, row } = await read();
  expect(found).toMatchObject({ ok: true, name: "app", environment: "whole", problem: null });
  expect((await manager.snapshot()).processes[0]?.pid).toBe(found.pid);
  expect(row("MODE")).toMatchObject({ running: "other", configured: "slow", comparison: "changed", reason: null });
  expect(row("PLAIN")).toMatchObject({ comparison: "same" });
  expect(row("FROM_FILE")).toMatchObject({ running: "before", comparison: "same" });
  expect(row("MGR_RUN")).toMatchObject({ comparison: "added", reason: "set by mgr" });
  expect(row("MGR_PROCESS")).toMatchObject({ comparison: "same" });
  expect(row("cwd")).toMatchObject({ running: folder, comparison: "same" });
  expect(row("nofile")).toMatchObject({ running: "512", comparison: "same" });
  expect(row("nice")).toMatchObject({ running: "3", comparison: "same" });
  expect(row("core")).toMatchObject({ comparison: "inherited" });
  expect(row("API_KEY")).toMatchObject({ running: "***", configured: "***", comparison: "same" });
  expect(JSON.stringify(found)).not.toMatch(/very secret|hidden/);
  writeFileSync(file, "FROM_FILE=after\nFILE_TOKEN=another\n");
  const later = await read();
  expect(later.row("FROM_FILE")).toMatchObject({ running: "before", configured: "after", comparison: "changed" });
  expect(later.row("FILE_TOKEN")).toMatchObject({ running: "***", configured: "***", comparison: "changed" });
  rmSync(file);
  expect((await read()).found.problem).toContain(file);
});

test("a process that does not run, or is out of view, has nothing to compare", async () => {
  await using manager = await createManager({ processes: { "a/one": sleeper(), b: sleeper() } });
  const ask = (name: string, client: Pick<typeof manager, "request"> = manager) =>
    client.request({ type: "request_running_settings", name });
  await expect(ask("b")).rejects.toMatchObject({ code: "not_running" });
  await expect(ask("none")).rejects.toMatchObject({ code: "not_found" });
  await manager.process("b").start();
  await expect(ask("b", manager.connect({ single_group: "a" }))).rejects.toMatchObject({ code: "out_of_scope" });
  // While the shell becomes sleep, the kernel shows no environment.
  await expect.poll(() => ask("b")).toMatchObject({ name: "b", environment: "whole" });
});
