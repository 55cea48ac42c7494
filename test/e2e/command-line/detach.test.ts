import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";

const READERS = fileURLToPath(new URL("../../fixtures/configuration-readers.cjs", import.meta.url));

test("mgr up --detach leaves the configuration to the manager, whose errors then go to a file of the state folder", async () => {
  await using instance = new Instance({ processes: { one: { command: "sleep 1000", autostart: true } } });
  instance.extra.NODE_OPTIONS = `--require ${READERS}`;
  instance.extra.MGR_TEST_READERS = join(instance.dir, "readers");
  await instance.mgr("up", "--detach");
  const manager = instance.pidOf("manager");
  const readers = instance.read("readers").trim().split("\n");
  expect([...new Set(readers)]).toEqual([String(manager)]);
  expect(readlinkSync(`/proc/${manager}/fd/2`)).toBe(join(instance.stateDir, "manager.stderr"));
  // Children with an open end of the pipe to the command would keep it from ending.
  expect(await instance.run("up", "-d", "-c", instance.config, "one")).toMatchObject({ code: 0, stderr: "" });
  await instance.mgr("down");
});

test("mgr up --detach prints the reason for which the manager in the background ended, also with names that begin like options", async () => {
  const server = createServer().listen(0, "localhost");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    await using instance = new Instance({
      instance: { manager: `localhost:${port}` },
      processes: { one: { command: "sleep 1000" } },
    });
    const busy = await instance.run("up", "--detach", "-c", instance.config, "one");
    expect(busy).toMatchObject({ code: 1, stdout: "" });
    expect(busy.stderr).toMatch(/^mgr: /);
    expect(busy.stderr).toContain(String(port));
    expect(instance.read("state/manager.stderr")).toBe(busy.stderr);
    const unknown = await instance.run("up", "--detach", "-c", instance.config, "--", "--all");
    expect(unknown).toMatchObject({ code: 3, stdout: "" });
    expect(unknown.stderr).toContain("'--all'");
    expect(instance.living()).toEqual([]);
  } finally {
    server.close();
  }
});
