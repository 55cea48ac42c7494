import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createManager } from "../../../../src/app/embedded/create-manager.ts";
import { connectClient } from "../../../../src/features/data-plane/client/index.ts";
import { lastLines, logUntilCause } from "../../../../src/features/mcp/client/incidents.ts";
import { MAX_REQUESTS_OF_USER } from "../../../../src/features/mcp/limits.ts";
import { mcpRoute } from "../../../../src/features/mcp/manager/route.ts";
import { Agent, type ERAS, Page, type Served, tokenOf } from "./rig.ts";

const YES = { action: "accept", content: { confirm: true } } as const;
const READING = ["list_processes", "get_process", "read_output", "why_did_it_fail", "search_output", "read_log", "read_load"];
const CHANGING = ["start_process", "stop_process", "restart_process"];
const ERA_NAMES = ["newest", "of 2025"] as const satisfies readonly (keyof typeof ERAS)[];

const processes = {
  "sim/world": { command: "sleep 100000", autostart: true, environment: { PASSWORD: "hidden" } },
  "sim/bad": { command: ["sh", "-c", "printf '\\033[31mboom\\033[0m\\n'; exit 3"], autostart: true, restart: { policy: "never" } },
  other: { command: "sleep 100000", autostart: true },
} as const;

const presetsFolder = mkdtempSync(join(tmpdir(), "mgr-agents-"));
afterAll(() => rmSync(presetsFolder, { recursive: true, force: true }));

let served: Served;
let operator: string;
let viewer: string;

beforeAll(async () => {
  const manager = await createManager(
    { instance: { name: "agents", manager: "localhost:0", presets_dir: presetsFolder }, processes },
    { listen: true, bus: true },
  );
  served = { manager, url: new URL("/mgr/mcp", manager.port?.url) };
  for (const name of ["sim/world", "other"]) await manager.process(name).waitFor("started");
  await served.manager.process("sim/bad").waitFor("error");
  operator = await tokenOf(served, "operator", "operator");
  viewer = await tokenOf(served, "viewer", "viewer", ["sim/*"]);
});
afterAll(() => served.manager[Symbol.asyncDispose]());

const pid = async () => (await served.manager.process("sim/world").get()).pid;

describe.each(ERA_NAMES)("an agent whose client is %s", (era) => {
  it("sees processes, why one failed, output and log", async () => {
    await using agent = await new Agent(era, null).connect(served, viewer);
    expect(await agent.tools()).toEqual(expect.arrayContaining(READING));
    const listed = await agent.call("list_processes", { pattern: "sim", state: "error" });
    expect(listed.json()).toMatchObject({
      instance: "agents",
      total: 1,
      processes: [{ name: "sim/bad", state: "error", exit: { code: 3 } }],
    });
    const why = await agent.call("why_did_it_fail", { name: "sim/bad" });
    expect(why.json()).toMatchObject({ process: { name: "sim/bad" }, output: expect.stringContaining("boom\n") });
    // Without the colours of a terminal.
    expect(why.json()).not.toHaveProperty("output", expect.stringContaining("\u001b"));
    expect((await agent.call("search_output", { pattern: "boom" })).json()).toMatchObject({ hits: [{ name: "sim/bad", line: "boom" }] });
    expect((await agent.call("read_log", { level: "error" })).text).toContain("sim/bad");
    expect((await agent.call("get_process", { name: "sim/world" })).text).not.toContain("hidden");
  });

  it("sees and changes only what its token allows", async () => {
    await using reading = await new Agent(era, YES).connect(served, viewer);
    expect((await reading.call("list_processes")).json()).toMatchObject({ total: 2 });
    expect(await reading.call("get_process", { name: "other" })).toMatchObject({
      failed: true,
      text: expect.stringContaining("not_found"),
    });
    const tools = await reading.tools();
    for (const name of CHANGING) expect(tools).not.toContain(name);
    await expect(reading.call("stop_process", { name: "sim/world" })).rejects.toThrow("stop_process");
    const other = await tokenOf(served, `other-${era.replace(" ", "-")}`, "operator", ["other"]);
    await using elsewhere = await new Agent(era, YES).connect(served, other);
    expect(await elsewhere.tools()).toEqual(expect.arrayContaining(CHANGING));
    expect(await elsewhere.call("start_process", { name: "sim/world" })).toMatchObject({ failed: true });
  });

  it("gets a reason for input that is wrong, and for a process that does not exist", async () => {
    await using agent = await new Agent(era, null).connect(served, viewer);
    expect(await agent.call("read_output", { name: "sim/world", lines: 0 })).toMatchObject({
      failed: true,
      text: expect.stringContaining("lines"),
    });
    expect(await agent.call("read_output", { name: "sim/none" })).toMatchObject({
      failed: true,
      text: expect.stringContaining("sim/none"),
    });
  });

  it("ends what a person allows in the page where its user cannot be asked, and nothing else", async () => {
    const name = era === "newest" ? "sim/world" : "other";
    const found = async () => (await served.manager.process(name).get()).pid;
    await using agent = await new Agent(era, null).connect(served, operator);
    const before = await found();
    const restart = () => agent.call("restart_process", { name });
    expect(await restart()).toMatchObject({ failed: true, text: expect.stringContaining("no user who may do that") });
    expect(await found()).toBe(before);

    using page = await Page.open(served);
    const refused = restart();
    await page.answer(await page.question(), false);
    expect(await refused).toMatchObject({ failed: true, text: expect.stringContaining("in-process refused it") });
    expect(await found()).toBe(before);

    const allowed = restart();
    const question = await page.question();
    expect(question).toMatchObject({ agent: "token:operator", tool: "restart_process", action: "restart", name, pid: before });
    await page.answer(question, true);
    expect((await allowed).json()).toMatchObject({ name, state: "started" });
    const after = await found();
    expect(after).not.toBe(before);
    await expect(page.answer(question, true)).rejects.toThrow("not open any more");
    expect(await found()).toBe(after);
  });

  it("withdraws its question when it does not wait any longer", async () => {
    using page = await Page.open(served);
    await using agent = await new Agent(era, null).connect(served, operator);
    const controller = new AbortController();
    const call = agent.client.callTool({ name: "stop_process", arguments: { name: "other" } }, { signal: controller.signal });
    const failed = expect(call).rejects.toThrow();
    const question = await page.question();
    // Without sessions, a client of 2025 has no other way than to end its request.
    if (era === "newest") controller.abort();
    else await agent.client.close();
    await failed;
    await page.empty();
    await expect(page.answer(question, true)).rejects.toThrow("not open any more");
    expect(await served.manager.process("other").get()).toMatchObject({ requested_state: "start" });
  });
});

it("an agent lists incidents, and is told why a snapshot cannot be kept and that an incident does not exist", async () => {
  await using agent = await new Agent("newest", null).connect(served, await tokenOf(served, "recorder", "operator"));
  expect((await agent.call("list_incidents")).json()).toEqual({ is_enabled: false, incidents: [] });
  // A manager that is embedded has no state folder.
  expect(await agent.call("keep_snapshot", { note: "odd noise" })).toMatchObject({
    failed: true,
    text: expect.stringContaining("no state folder"),
  });
  expect(await agent.call("get_incident", { id: "none" })).toMatchObject({ failed: true, text: expect.stringContaining("list_incidents") });
  expect(await agent.call("read_incident_output", { id: "none", name: "sim/world" })).toMatchObject({
    failed: true,
    text: expect.stringContaining("no state folder"),
  });
  await using reading = await new Agent("newest", null).connect(served, viewer);
  expect(await reading.tools()).not.toContain("keep_snapshot");
  // Its token is for a part of the processes only.
  expect(await reading.call("list_incidents")).toMatchObject({ failed: true });
  expect(await reading.call("read_incident_output", { id: "none", name: "sim/world" })).toMatchObject({
    failed: true,
    text: expect.not.stringContaining("no state folder"),
  });
});

it("an agent is told that a topic whose latency it wants to measure does not exist, and needs a role on everything", async () => {
  await using agent = await new Agent("newest", null).connect(served, await tokenOf(served, "measurer", "viewer"));
  const arguments_ = { name: "arm/command", chain: ["arm/sensor"], sample_seconds: 0.1 };
  expect(await agent.call("measure_topic_latency", arguments_)).toMatchObject({
    failed: true,
    text: expect.stringContaining("there is no topic 'arm/command'"),
  });
  await using reading = await new Agent("newest", null).connect(served, viewer);
  expect(await reading.call("measure_topic_latency", arguments_)).toMatchObject({
    failed: true,
    text: expect.not.stringContaining("there is no topic"),
  });
});

it("an agent lists presets, sees what one would change, and loads it with a token that allows it", async () => {
  await using program = await connectClient({ name: "arm", url: served.manager.busUrl ?? "", log: () => {} });
  const { gain } = program.parameters({ gain: { type: "float", value: 1, min: 0, max: 10 } });
  writeFileSync(join(presetsFolder, "careful.yaml"), "description: Slow\nparameters:\n  arm/parameters:\n    gain: 2.5\n");
  await using agent = await new Agent("newest", null).connect(served, await tokenOf(served, "tuner", "operator"));
  expect((await agent.call("list_presets")).json()).toMatchObject({ presets: [{ name: "careful", description: "Slow", values: 1 }] });
  const change = { parameter: "gain", result: "different", value: "2.5", other: null };
  await expect
    .poll(async () => (await agent.call("compare_preset", { name: "careful" })).json())
    .toMatchObject({ total: 1, differences: [change] });
  expect((await agent.call("load_preset", { name: "careful" })).json()).toEqual({ changed: 1, unchanged: 0, failures: [] });
  expect(gain.value).toBe(2.5);
  expect((await agent.call("compare_preset", { name: "careful" })).json()).toEqual({ total: 1, differences: [] });
  expect(await agent.call("load_preset", { name: "none" })).toMatchObject({ failed: true, text: expect.stringContaining("not_found") });
  await using reading = await new Agent("newest", null).connect(served, viewer);
  expect(await reading.tools()).toContain("compare_preset");
  expect(await reading.tools()).not.toContain("load_preset");
});

it("the output of an incident is cut to its last lines, the one that is not complete included", () => {
  expect(lastLines("one\ntwo\nthree\n", 2)).toBe("two\nthree\n");
  expect(lastLines("one\ntwo\nthr", 2)).toBe("two\nthr");
  expect(lastLines("one\n", 5)).toBe("one\n");
});

it("the log of an incident is that of its time until the first cause, the last 50 entries", () => {
  const entries = Array.from({ length: 60 }, (_, second) => ({ ts: `2026-11-27T06:00:${String(second).padStart(2, "0")}.000000` }));
  const log = logUntilCause(entries, { from: "2026-11-27T06:00:05.000000", time: "2026-11-27T06:00:58.500000" });
  expect([log.length, log[0], log.at(-1)]).toEqual([50, entries[9], entries[58]]);
});

describe("what ends a process", () => {
  it("happens once a person has confirmed it, and the manager records the token's user", async () => {
    await using agent = await new Agent("newest", YES).connect(served, operator);
    const before = await pid();
    expect((await agent.call("restart_process", { name: "sim/world" })).json()).toMatchObject({ name: "sim/world", state: "started" });
    expect(agent.asked).toEqual([`Restart 'sim/world' on '${served.manager.host().name}' (started, pid ${before})?`]);
    expect(await pid()).not.toBe(before);
    expect(await served.manager.process("sim/world").get()).toMatchObject({ requested_by: "token:operator" });
  });

  it.each([[{ action: "decline" }], [{ action: "accept", content: { confirm: false } }]] as const)(
    "does not happen after %j",
    async (answer) => {
      await using agent = await new Agent("newest", answer).connect(served, operator);
      const before = await pid();
      expect(await agent.call("stop_process", { name: "sim/world" })).toMatchObject({
        failed: true,
        text: expect.stringContaining("did not confirm"),
      });
      expect(agent.asked).toHaveLength(1);
      expect(await pid()).toBe(before);
    },
  );
});

describe("the route", () => {
  const post = (headers: Record<string, string>) =>
    fetch(served.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });

  it("needs a login, and proof that no other site has sent the request", async () => {
    expect((await post({})).status).toBe(401);
    expect((await post({ authorization: "Bearer mgr_wrong" })).status).toBe(401);
    expect((await post({ authorization: `Bearer ${viewer}` })).status).toBe(200);
    expect((await post({ authorization: `Bearer ${viewer}`, origin: "https://evil.example" })).status).toBe(403);
    expect((await fetch(served.url, { headers: { authorization: `Bearer ${viewer}` } })).status).toBe(405);
  });

  it("answers so many requests of a user at a time, and others are not affected", async () => {
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const route = mcpRoute(async () => {
      await held;
      return new Response();
    });
    const ask = (user: string) => {
      const context = { get: () => ({ principal: { user } }), req: { raw: new Request("http://localhost/mgr/mcp") } };
      return route.handle(context as unknown as Parameters<typeof route.handle>[0]);
    };
    const accepted = Array.from({ length: MAX_REQUESTS_OF_USER }, () => ask("greedy"));
    expect((await ask("greedy")).status).toBe(429);
    const other = ask("modest");
    answer();
    for (const response of await Promise.all([...accepted, other])) expect(response.status).toBe(200);
    expect((await ask("greedy")).status).toBe(200);
  });

  it("passes the protocol's own conformance checks", async () => {
    // The checks know no login.
    const proxy = createServer((incoming, outgoing) => {
      const { method, headers } = incoming;
      const forwarded = request(
        served.url,
        { method, headers: { ...headers, host: served.url.host, authorization: `Bearer ${operator}` } },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(outgoing);
        },
      );
      incoming.pipe(forwarded);
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    try {
      const { port } = proxy.address() as AddressInfo;
      const program = fileURLToPath(new URL("../../../../node_modules/.bin/conformance", import.meta.url));
      for (const scenario of ["server-initialize", "ping", "tools-list"]) {
        const args = [program, "server", "--url", `http://127.0.0.1:${port}/mgr/mcp`, "--scenario", scenario];
        const { stdout } = await promisify(execFile)(process.execPath, args);
        expect(stdout).toMatch(/Passed: (\d+)\/\1, 0 failed/);
      }
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });
});
