import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import { connectClient } from "../../../src/features/data-plane/client/index.ts";
import { Hub } from "../../features/data-plane/client-libraries/hub.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const example = (name: string) => join(ROOT, "examples/clients", name);

describe("the examples of clients", () => {
  let hub: Hub;
  let folder = "";
  const environment = () => ({ ...process.env, MGR_BUS_URL: hub.url, PYTHONPATH: join(ROOT, "clients/python") });
  const listen = async (command: string[]) => {
    const [file = "", ...words] = command;
    const { stdout } = await run(file, [...words, "room/temperature", "3"], { env: environment(), timeout: 240_000 });
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
  ])("work in %s, and receive each other's messages", async (language, publisher, listener) => {
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
      expect(lines[3]).toMatch(/received['"]?: ?\d+,.*missed['"]?: ?0/);
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

describe("docs/clients.md", () => {
  const document = readFileSync(join(ROOT, "docs/clients.md"), "utf8");
  const blocks = (language: string) =>
    [...document.matchAll(/^```(\w+)\n(.*?)^```/gms)].filter(([, found]) => found === language).map(([, , text = ""]) => text);
  let hub: Hub;
  let folder = "";
  beforeAll(async () => {
    hub = await Hub.start();
    folder = mkdtempSync(join(tmpdir(), "mgr-document-"));
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(ROOT, join(folder, "node_modules/mgr"));
    const [js = ""] = blocks("js");
    writeFileSync(join(folder, "example.mjs"), `import { connectClient } from "mgr/client";\n${js}`);
    const [python = ""] = blocks("python");
    const lines = [
      "import asyncio",
      "from mgr_client import connect_client",
      "async def main():",
      ...python.split("\n").map((line) => `    ${line}`),
    ];
    writeFileSync(join(folder, "example.py"), `${lines.join("\n")}\nasyncio.run(main())\n`);
  });
  afterAll(async () => {
    await hub?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ["JavaScript", () => [process.execPath, "example.mjs"]],
    ["Python", () => ["python3", "example.py"]],
  ])("has a program in %s that works as it stands there", async (_language, command) => {
    await using partner = await connectClient({ name: "partner", url: hub.url, log: () => {} });
    const forces: unknown[] = [];
    partner.provide("arm/grip", { name: "demo.Grip", endpoints: { call: {} } }, (request) => {
      forces.push(request);
      return {};
    });
    const states: number[][] = [];
    partner.subscribe("arm/state", { onMessage: ({ value }) => void states.push([...(value as { position: Iterable<number> }).position]) });
    const target = await partner.publisher("arm/target", { type: "object" });
    await partner.flush();
    const [file = "", ...words] = command();
    const environment = { ...process.env, MGR_BUS_URL: hub.url, PYTHONPATH: join(ROOT, "clients/python") };
    const child = spawn(file, words, { cwd: folder, env: environment, stdio: ["ignore", "ignore", "inherit"] });
    const ended = once(child, "exit");
    try {
      // It computes the state from the target with its gain of 0.5.
      await expect
        .poll(() => {
          target.publish({ position: [1, 3] });
          return states[0];
        })
        .toEqual([0.5, 1.5]);
      expect(forces).toEqual([{ force: 2 }]);
      expect(await partner.call("arm/move_to", {})).toEqual({ done: true });
      expect(hub.client("arm/controller")?.topics.map(({ name }) => name)).toEqual(["arm/state"]);
    } finally {
      child.kill();
      await ended;
      // The next one needs the topic.
      await expect.poll(() => hub.client("arm/controller")).toBeUndefined();
    }
  });

  it("has a registration and responses as the broker accepts and sends them", async () => {
    const [registration = "", responses = ""] = blocks("json");
    const [accepted, refused] = responses
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const bus = await connectBus({ server: { kind: "url", urls: [hub.url] }, name: "any NATS client" });
    const register = async (request: string) => {
      const { data } = await bus.request("mgr.client.register", request, { timeoutMs: 30_000 });
      return JSON.parse(Buffer.from(data).toString());
    };
    expect(await register(registration)).toEqual({ ...accepted, host: "bench" });
    expect(await register(registration.replace('"cdr"', '"xml"'))).toEqual(refused);
    await bus.close();
  });
});
