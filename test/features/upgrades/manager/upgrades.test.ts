import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createManager } from "../../../../src/app/index.ts";
import { programVersions } from "../../../../src/features/upgrades/manager/program-versions.ts";
import { VERSION } from "../../../../src/http/package-files.ts";

test("the installed version is read each time, and is not known while a new one is being installed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-versions-"));
  try {
    const path = join(folder, "package.json");
    const installed = async () => (await programVersions(null, path)).installed;
    expect(await installed()).toBeNull();
    writeFileSync(path, JSON.stringify({ name: "mgr", version: "9.9.9" }));
    expect(await programVersions(null, path)).toEqual({
      running: VERSION,
      installed: "9.9.9",
      problem: expect.stringContaining("in the foreground"),
    });
    for (const content of ['{"version": "9.', '{"version": 9}', "[]"]) {
      writeFileSync(path, content);
      expect(await installed()).toBeNull();
    }
    const launch = { executable: process.execPath, args: ["up"], cwd: "/", environment: {} };
    expect((await programVersions(launch)).problem).toBeNull();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a manager in another program, and its host, refuse to replace that program", async () => {
  await using manager = await createManager({ processes: {} });
  const { hosts } = await manager.request({ type: "get_snapshot" });
  await expect(manager.request({ type: "upgrade_host", host: hosts[0] ?? "" })).rejects.toMatchObject({
    code: "forbidden",
    message: "this host is part of another program, which has to be started again",
  });
  await expect(manager.request({ type: "upgrade_host", host: hosts[0] ?? "", node: "bin/node" })).rejects.toMatchObject({
    code: "bad_field",
    message: expect.stringContaining("'node' must be an absolute path"),
  });
  await expect(manager.request({ type: "upgrade_host", host: "nowhere" })).rejects.toMatchObject({ code: "not_found" });
  expect(await manager.request({ type: "request_versions" })).toMatchObject({ running: VERSION, installed: VERSION });
  expect(await manager.request({ type: "upgrade_manager" })).toMatchObject({
    to: null,
    problem: "it is in the foreground, or part of another program: start it again",
  });
});
