import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Hub } from "../../clients/hub.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const example = (name: string) => join(ROOT, "examples/clients", name);

describe("the examples of clients", () => {
  let hub: Hub;
  let folder = "";
  const environment = () => ({ ...process.env, MGR_BUS_URL: hub.url, PYTHONPATH: join(ROOT, "clients/python") });
  const listen = async (command: string[]) => {
    const [file = "", ...words] = command;
    const { stdout } = await run(file, [...words, "room/temperature", "3"], { env: environment(), timeout: 60_000 });
    return stdout.trim().split("\n");
  };

  beforeAll(async () => {
    hub = await Hub.start();
    folder = mkdtempSync(join(tmpdir(), "mgr-examples-"));
    const sources = [example("thermometer.c"), join(ROOT, "clients/c/mgr_client.c")];
    const output = join(folder, "thermometer");
    await run("gcc", [`-I${join(ROOT, "clients/c")}`, "-Wall", "-Werror", ...sources, "-lnats", "-lpthread", "-o", output]);
  });
  afterAll(async () => {
    await hub[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ["JavaScript", () => [process.execPath, example("thermometer.js")], () => ["python3", example("listen.py")]],
    ["Python", () => ["python3", example("thermometer.py")], () => [process.execPath, example("listen.js")]],
    ["C", () => [join(folder, "thermometer")], () => ["python3", example("listen.py")]],
  ])("work in %s, and hear each other", async (language, publisher, listener) => {
    const [file = "", ...words] = publisher();
    const child: ChildProcess = spawn(file, words, { env: environment(), stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "exit");
    try {
      await expect
        .poll(() => hub.topic("room/temperature"))
        .toMatchObject({ reserved: true, definition_name: "demo.Temperature", encoding: "json" });
      expect(hub.client("room/thermometer")?.pid).toBe(child.pid);
      const lines = await listen(listener());
      expect(lines).toHaveLength(4);
      for (const line of lines.slice(0, 3)) expect(line).toMatch(/^\d+ .*celsius/);
      expect(lines[3]).toMatch(/received'?: \d+,.*missed'?: 0/);
      if (language === "C") return;
      const { data } = await hub.bus.request("svc.room.calibrate.call", '{"celsius": 30}', { timeoutMs: 30_000 });
      expect(JSON.parse(Buffer.from(data).toString())).toEqual({ offset: 5 });
    } finally {
      child.kill();
      await ended;
      // The next one needs the topic.
      await expect.poll(() => hub.client("room/thermometer")).toBeUndefined();
    }
  });
});
