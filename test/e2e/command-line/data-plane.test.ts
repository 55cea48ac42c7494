import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import headless from "@xterm/headless";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectClient, type DataClient, ServiceError, type TopicPublisher } from "../../../src/client/index.ts";
import { conforms } from "../../contract/check.ts";
import type { Client, Frame } from "../support/client.ts";
import { Instance, PROGRAM } from "../support/instance.ts";
import { TerminalSession } from "../support/terminal.ts";
import { eventually } from "../support/wait.ts";

const THERMOMETER = fileURLToPath(new URL("../../../examples/clients/thermometer.js", import.meta.url));
const STATE = {
  title: "ArmState",
  type: "object",
  properties: { position: { type: "array", items: { type: "number" } }, name: { type: "string" } },
};

let instance: Instance;
let arm: DataClient;
let state: TopicPublisher;
let timer: NodeJS.Timeout | undefined;
let overrides: () => unknown;
let client: Client;

beforeAll(async () => {
  instance = await Instance.up({
    instance: { scope_process: "tools/scope" },
    processes: {
      idle: { command: "sleep 1000" },
      thermometer: { command: [process.execPath, THERMOMETER] },
      "tools/scope": { command: [process.execPath, PROGRAM, "scope"] },
    },
    modes: { demo: { preset: "careful", parameters: { limit: 8 } } },
  });
  const url = readFileSync(join(instance.stateDir, "bus.url"), "utf8").trim();
  arm = await connectClient({ name: "arm/controller", url });
  state = await arm.publisher("arm/state", STATE);
  const { gain } = arm.parameters({
    gain: { type: "float", value: 1, unit: "1/s", min: 0, max: 10, description: "of the position loop" },
    limit: { type: "int", value: 7 },
  });
  overrides = () => [gain.isOverridden, gain.value];
  arm.provide(
    "arm/move_to",
    { name: "demo.MoveTo", endpoints: { call: { request: { type: "object" }, description: "moves the arm" } } },
    (request) => {
      const position: unknown = Reflect.get(Object(request), "position");
      if (typeof position !== "number") throw new ServiceError(400, "position must be a number");
      return { reached: position };
    },
  );
  let count = 0;
  timer = setInterval(() => state.publish({ position: [0.5, ++count % 10], name: "arm" }), 20);
  client = await instance.connect();
  await eventually("the manager knows the topic and both services", async () => {
    const { topics = [] } = (await client.ask({ type: "request_topics" })) as { topics?: unknown[] };
    const { services = [] } = (await client.ask({ type: "request_services" })) as { services?: unknown[] };
    return topics.length === 1 && services.length === 2;
  });
});
afterAll(async () => {
  clearInterval(timer);
  await arm?.close();
  await instance?.[Symbol.asyncDispose]();
});

/** Runs a command of a group on this instance. */
const run = (group: string, command: string, ...args: string[]) => instance.run(group, command, "-c", instance.config, ...args);
const done = async (group: string, command: string, ...args: string[]) => {
  const outcome = await run(group, command, ...args);
  expect({ code: outcome.code, stderr: outcome.stderr }).toMatchObject({ code: 0 });
  return outcome.stdout;
};

/** Asks again where a provider did not answer in time: this machine may be busy. */
const param = async (command: string, ...args: string[]) => {
  for (;;) {
    const outcome = await run("param", command, ...args);
    if (outcome.code !== 4 && !outcome.stderr.includes("did not list its parameters")) return outcome;
  }
};
const text = async (command: string, ...args: string[]) => {
  const { code, stdout, stderr } = await param(command, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
};

describe("mgr topic", () => {
  test("list and info show published topics, and their clients", async () => {
    expect(await done("topic", "list")).toMatch(/^TOPIC +RATE[\s\S]*arm\/state .*arm\/controller .*ArmState/);
    const [topic] = JSON.parse(await done("topic", "list", "arm", "--json"));
    expect(conforms("topic", topic)).toEqual([]);
    expect(await done("topic", "info", "arm/state")).toMatch(/encoding +json, ArmState\npublisher +arm\/controller on [\s\S]*"position"/);
    const unknown = await run("topic", "info", "arm/sate");
    expect(unknown).toMatchObject({ code: 3, stderr: "mgr: there is no topic 'arm/sate'; did you mean 'arm/state'?\n" });
  });

  test("echo prints messages from the bus, and with --url samples from the manager", async () => {
    expect(await done("topic", "echo", "arm/state", "--once", "--field", "position[0]")).toBe("0.5\n");
    expect(await done("topic", "echo", "arm/state", "--once", "--csv")).toMatch(
      /^time,seq,position\[0\],position\[1\],name\n\d+\.\d{9},\d+,0\.5,\d,arm\n$/,
    );
    const password = join(instance.dir, "password");
    writeFileSync(password, instance.password, { mode: 0o600 });
    const remote = await done(
      "topic",
      "echo",
      "arm/state",
      "--once",
      "--json",
      "--url",
      instance.url,
      "--user",
      "ada",
      "--password-file",
      password,
    );
    expect(JSON.parse(remote)).toMatchObject({ seq: null, value: { name: "arm", position: [0.5, expect.any(Number)] } });
  });

  test("echo prints every message until Ctrl-C, and fails if none comes in time", async () => {
    const follow = instance.start("topic", "echo", "-c", instance.config, "arm/state", "--json");
    await eventually("three messages", () => follow.stdout.split("\n").length > 3);
    follow.child.kill("SIGINT");
    const { code, stdout, stderr } = await follow.ended;
    const numbers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).seq as number);
    // A machine that stalls may lose messages; then that is told.
    const missing = numbers.filter((number, index) => index > 0 && number !== (numbers[index - 1] ?? 0) + 1);
    expect({ code, missing: stderr.includes("were missed") ? [] : missing }).toEqual({ code: 0, missing: [] });
    const silent = await arm.publisher("silent", {});
    await eventually("it is known", async () => JSON.stringify(await client.ask({ type: "request_topics" })).includes('"silent"'));
    const outcome = await run("topic", "echo", "silent", "--timeout", "0.5");
    expect(outcome).toMatchObject({ code: 4, stdout: "", stderr: "mgr: time-out: no message of 'silent' for 0.5 s\n" });
    silent.close();
  });

  test("hz, bw and delay measure", async () => {
    let stat = { topics: [{ packets: 0 }] };
    await eventually("messages are counted", async () => {
      stat = JSON.parse(await done("topic", "hz", "arm", "--once", "--json"));
      return (stat.topics[0]?.packets ?? 0) > 0;
    });
    expect(stat.topics).toEqual([
      { name: "arm/state", rate: expect.any(Number), bytes_s: expect.any(Number), packets: expect.any(Number), limits: [] },
    ]);
    expect(await done("topic", "bw", "arm/state", "--once")).toMatch(/arm\/state +[\d.]+ [kM]?B\/s/);
    const delay = JSON.parse(await done("topic", "delay", "arm/state", "--once", "--json"));
    expect(delay.messages).toBeGreaterThan(0);
    expect(delay.min_ms).toBeLessThanOrEqual(delay.max_ms);
  });

  test("delay waits for a topic that is not published yet, and fails if no message comes in time", async () => {
    const later = instance.start("topic", "delay", "-c", instance.config, "arm/late", "--once", "--json", "--window", "0.1");
    await eventually("it waits", () => later.stderr.includes("\n"));
    expect(later.stderr).toMatch(/^mgr: no client publishes 'arm\/late' yet: waiting for its first message/);
    const topic = await arm.publisher("arm/late", {});
    const publishing = setInterval(() => topic.publish(1), 20);
    const { code, stdout } = await later.ended.finally(() => clearInterval(publishing));
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, messages: expect.any(Number), p50_ms: expect.any(Number) });
    topic.close();
    expect(await run("topic", "delay", "never", "--timeout", "0.1")).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/'never' yet[\s\S]*time-out/),
    });
  });

  test("pub sends a value, unless another client publishes the topic", async () => {
    const received: unknown[] = [];
    const subscription = arm.subscribe("goal", { definition: {}, onMessage: ({ value }) => received.push(value) });
    await arm.flush();
    await done("topic", "pub", "goal/once", '{"position": [-1, 2]}');
    const repeated = instance.start("topic", "pub", "-c", instance.config, "goal", '{"position": [-1, 2]}', "--rate", "10");
    await eventually("it arrives", () => received.length > 1);
    repeated.child.kill("SIGINT");
    expect(await repeated.ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^mgr: \d+ messages sent/) });
    expect(received.slice(0, 2)).toEqual([{ position: [-1, 2] }, { position: [-1, 2] }]);
    subscription.close();
    const taken = await run("topic", "pub", "arm/state", "-1");
    expect(taken.code).toBe(1);
    expect(taken.stderr).toMatch(/the topic 'arm\/state' cannot be published: .*'arm\/controller'/);
    expect(await run("topic", "pub", "goal", "{")).toMatchObject({ code: 2, stderr: expect.stringContaining("not JSON") });
  });

  test("echo waits for a topic that is not published yet, and reports that", async () => {
    const later = instance.start("topic", "echo", "-c", instance.config, "arm/sate", "--once", "--json");
    await eventually("it waits", () => later.stderr.includes("\n"));
    expect(later.stderr).toBe("mgr: no client publishes 'arm/sate' yet: waiting for its first message; did you mean 'arm/state'?\n");
    const topic = await arm.publisher("arm/sate", {}, { keepLast: true });
    topic.publish(5);
    const { code, stdout } = await later.ended;
    expect({ code, value: JSON.parse(stdout).value }).toEqual({ code: 0, value: 5 });
    topic.close();
    expect(await run("topic", "echo", "a//b")).toMatchObject({ code: 2, stdout: "" });
    expect(await run("topic", "echo", "never", "--timeout", "0.1")).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/'never' yet[\s\S]*time-out/),
    });
  });
});

test("mgr service lists, describes and calls", async () => {
  expect(await done("service", "list")).toMatch(/arm\/move_to +demo\.MoveTo +call +arm\/controller/);
  expect(await done("service", "info", "arm/move_to")).toMatch(/endpoint +call: moves the arm\n {2}request: {"type":"object"}/);
  expect(JSON.parse(await done("service", "call", "arm/move_to", '{"position": 2}'))).toEqual({ reached: 2 });
  expect(await run("service", "call", "arm/move_to")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("position must be a number"),
  });
  expect(await run("service", "call", "arm/moveto")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("did you mean 'arm/move_to'?"),
  });
});

test("mgr param overrides, saves, compares and restores", async () => {
  expect(await text("list")).toMatch(/arm\/controller\/parameters:gain +1 +- +1 +1\/s +float 0 to 10 +of the position loop/);
  expect(await text("set", "gain", "2.5")).toBe("arm/controller/parameters:gain: overridden with 2.5\n");
  expect(overrides()).toEqual([true, 2.5]);
  expect(await text("get", "gain")).toBe("2.5\n");
  const refused = await param("set", "gain", "-1");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/parameters:gain: .*out of range/) });
  expect(await param("get", "gian")).toMatchObject({ code: 3, stderr: expect.stringContaining("did you mean 'gain'?") });

  const file = join(instance.dir, "overrides.yaml");
  writeFileSync(file, await text("dump"));
  expect(await text("diff", file)).toBe("");
  await text("clear", "gain");
  expect(overrides()).toEqual([false, 1]);
  const differs = await param("diff", file);
  expect(differs).toMatchObject({ code: 1, stdout: expect.stringMatching(/parameters:gain +2\.5 +-/) });
  expect(await text("load", file)).toBe("1 override changed\n");
  expect(overrides()).toEqual([true, 2.5]);

  // Several names are one question: with an unknown one among them, nothing is changed.
  expect(await param("clear", "gain", "gian")).toMatchObject({ code: 3, stdout: "" });
  expect(overrides()).toEqual([true, 2.5]);
  expect(await text("clear", "limit", "gain", "gain")).toBe(
    "arm/controller/parameters:limit: override cleared\narm/controller/parameters:gain: override cleared\n",
  );
  expect(overrides()).toEqual([false, 1]);
});

test("mgr preset saves, compares, loads and deletes; a mode loads its preset", async () => {
  /** Asks again where the provider did not answer in time: this machine may be busy. */
  const preset = async (...args: string[]) => {
    for (;;) {
      const outcome = await run("preset", ...(args as [string]));
      if (!/did not (answer|list)|does not answer/.test(outcome.stderr)) return outcome;
    }
  };
  const file = (name: string) => join(instance.dir, "presets", `${name}.yaml`);
  const values = (gain: string, limit: string) => `parameters:\n  arm/controller/parameters:\n    gain: ${gain}\n    limit: ${limit}\n`;
  await text("set", "gain", "2.5");
  expect(await preset("save", "careful", "--pattern", "gain", "--description", "Slow")).toMatchObject({
    code: 0,
    stdout: "1 value saved\n",
  });
  expect(readFileSync(file("careful"), "utf8")).toContain("parameters:\n  arm/controller/parameters:\n    gain: 2.5\n");
  expect(await preset("compare", "careful")).toMatchObject({ code: 0, stdout: "no differences\n" });
  await text("set", "gain", "4");
  expect(await preset("compare", "careful")).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/parameters:gain +2\.5 +4 +different/),
  });
  expect(await preset("load", "careful")).toMatchObject({ code: 0, stdout: "1 override changed, 0 unchanged\n" });
  expect(overrides()).toEqual([true, 2.5]);

  writeFileSync(file("wrong"), values("3", "many"), { mode: 0o600 });
  expect(await preset("load", "wrong")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "mgr: nothing was changed, because of 'arm/controller/parameters:limit': 'many' is not a value of type int\n",
  });
  expect(overrides()).toEqual([true, 2.5]);
  expect(await preset("load", "wrong", "--partial")).toMatchObject({
    code: 1,
    stdout: "1 override changed, 0 unchanged\n",
    stderr: "mgr: arm/controller/parameters:limit: 'many' is not a value of type int\n",
  });
  expect(overrides()).toEqual([true, 3]);

  writeFileSync(file("broken"), "parameters: [1]\n", { mode: 0o600 });
  const { stdout: listed } = await preset("list");
  expect(listed).toMatch(/\nbroken .*broken\.yaml:1: parameters: must be a mapping[\s\S]*\ncareful +1 +gain .*Slow\nwrong +2 /);
  expect(await preset("rm", "wrong")).toMatchObject({ code: 0, stdout: "preset wrong deleted\n" });
  expect(await preset("show", "wrong")).toMatchObject({ code: 3, stderr: expect.stringContaining("there is no preset 'wrong'") });

  writeFileSync(file("careful"), values("1.5", "3"), { mode: 0o600 });
  expect(await instance.run("mode", "-c", instance.config, "demo", "--yes")).toMatchObject({ code: 0 });
  expect([await text("get", "gain"), await text("get", "limit")]).toEqual(["1.5\n", "8\n"]);
  await text("clear", "gain", "limit");
});

describe("mgr scope", () => {
  test("draws fields of topics, opens traces at the request of its service, pauses and resizes", async () => {
    using terminal = new TerminalSession(["scope", "-c", instance.config, "arm/state.position[1]"], { rows: 24, cols: 80 });
    await terminal.untilShown(/● arm\/state\.position\[1\] +\d/);
    expect(terminal.isAlternate).toBe(true);
    await terminal.untilShown(/[\u2801-\u28ff]/);
    const open = () => arm.call("scope/scope", { trace: "arm/state.position[0]" }, { endpoint: "open" });
    await eventually("its service answers", () =>
      open().then(
        () => true,
        () => false,
      ),
    );
    await terminal.untilShown(/● arm\/state\.position\[0\] +0\.5/);
    await expect(arm.call("scope/scope", { trace: "a//b" }, { endpoint: "open" })).rejects.toThrow(/not a trace/);
    terminal.type(" ");
    await terminal.untilShown(/Paused · last 10 s/);
    terminal.resize(50, 200);
    await eventually("it fills the larger terminal", () => terminal.lines.at(-1)?.startsWith("q quit") === true);
    terminal.type("q");
    expect(await terminal.ended).toMatchObject({ exitCode: 0 });
    expect(terminal.isAlternate).toBe(false);
  });

  test("without a terminal names the commands to use instead", async () => {
    const outcome = await instance.run("scope", "-c", instance.config);
    expect(outcome).toMatchObject({ code: 2, stderr: "mgr: mgr scope needs a terminal; use mgr topic echo --csv in pipes\n" });
  });
});

describe("the scope process", () => {
  const named = { service: "room/thermometer/parameters", parameter: "room/offset" };
  const topic = "room/offset";

  /** Opens the parameter, again if the machine was too busy to start the scope in time. */
  const opened = (provider_id: unknown) =>
    eventually("the parameter is open in the scope", async () => {
      const answer = await client.ask({ type: "open_parameter_scope", ...named, provider_id });
      return answer.ok === true ? answer : null;
    });
  const provider = () =>
    eventually("the thermometer shows its parameters", async () => {
      const { clients } = (await client.ask({ type: "request_clients" })) as { clients?: { id: number; provided_services: string[] }[] };
      return clients?.find(({ provided_services }) => provided_services.includes(named.service))?.id ?? null;
    });
  /** What a person sees who looks at the process. */
  const screen = async () => {
    const { output } = await client.ask({ type: "get_process_output", name: "tools/scope", lines: 100_000 });
    const terminal = new headless.Terminal({ rows: 24, cols: 80, allowProposedApi: true });
    await new Promise<void>((resolve) => terminal.write(String(output), resolve));
    const { active } = terminal.buffer;
    return Array.from({ length: 24 }, (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? "").join("\n");
  };
  const tasks = async (role: "publisher" | "subscriber") => {
    const answer = await client.ask({ type: "request_topic_scheduling", name: topic });
    return ((answer.tasks ?? []) as (Frame & { pid: number; tid: number; role: string })[]).filter((task) => task.role === role);
  };

  test("is started by its command for a parameter, gets exactly its output, and shows live values; then by its service", async () => {
    await instance.mgr("start", "thermometer");
    const provider_id = await provider();
    const expected = { ...named, provider_id, topic, process: "tools/scope" };
    expect(await opened(provider_id)).toMatchObject(expected);
    const { pid } = await client.process("tools/scope");
    const shows = (value: string) => async () => new RegExp(`● room/offset\\.output +${value} `).test(await screen());
    await eventually("the scope shows the value", shows("0"));
    expect((await screen()).match(/●/g)).toEqual(["●"]);
    const override = { type: "set_parameter_override", ...named, provider_id, enabled: true, value: "2.5" };
    await eventually("the override is accepted", async () => (await client.ask(override)).ok === true);
    await eventually("the scope shows the new value", shows("2\\.5"));
    // It runs: the same process is asked again, and has the trace already.
    expect(await opened(provider_id)).toMatchObject(expected);
    expect((await client.process("tools/scope")).pid).toBe(pid);
    expect((await screen()).match(/●/g)).toEqual(["●"]);
  });

  test("and the publisher are scheduled by topic, as chrt and taskset read it", async () => {
    const { pid: scope } = await client.process("tools/scope");
    const { pid: thermometer } = await client.process("thermometer");
    const subscriber = await eventually("the scope's threads are known", async () =>
      (await tasks("subscriber")).find(({ pid }) => pid === scope),
    );
    const publisher = (await tasks("publisher")).find(({ pid, tid }) => pid === thermometer && tid === thermometer);
    if (!publisher) throw new Error("the publisher's main thread is not listed");
    const [cpu = ""] = readAffinity(publisher.tid).split(/[,-]/);
    // What the daemon may do, this test may do: both run as the same user.
    const mayRealTime = succeeds("chrt", "-f", "7", "true");
    const requested = [
      { host: publisher.host, pid: publisher.pid, tid: publisher.tid, policy: 3, prio: 0, affinity: cpu },
      { host: subscriber.host, pid: subscriber.pid, tid: subscriber.tid, policy: 1, prio: 7, affinity: cpu },
    ];
    const answer = await client.ask({ type: "apply_topic_scheduling", name: topic, tasks: requested });
    const refusal = { ok: false, code: "forbidden", message: expect.stringContaining("not permitted") };
    expect(answer).toMatchObject({ ok: true, tasks: [{ ok: true }, mayRealTime ? { ok: true } : refusal] });
    expect([readPolicy(publisher.tid), readAffinity(publisher.tid)]).toEqual(["SCHED_BATCH 0", cpu]);
    if (mayRealTime) expect([readPolicy(subscriber.tid), readAffinity(subscriber.tid)]).toEqual(["SCHED_FIFO 7", cpu]);
    else expect(readPolicy(subscriber.tid)).toBe("SCHED_OTHER 0");
  });

  const read = (command: string, ...words: string[]) => execFileSync(command, words, { encoding: "utf8" });
  const succeeds = (command: string, ...words: string[]) => spawnSync(command, words).status === 0;
  const readPolicy = (tid: number) => {
    const text = read("chrt", "-p", String(tid));
    return `${/policy: (\S+)/.exec(text)?.[1]} ${/priority: (\d+)/.exec(text)?.[1]}`;
  };
  const readAffinity = (tid: number) => /list: (.*)/.exec(read("taskset", "-cp", String(tid)))?.[1] ?? "";
});
