import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

const CHAIN = fileURLToPath(new URL("../../../examples/clients/chain.js", import.meta.url));
/** What the programs wait at least before they answer; timers of Node may fire up to a millisecond early. */
const [FILTER_MS, CONTROLLER_MS] = [19, 9];

let instance: Instance;

beforeAll(async () => {
  const program = (role: string) => ({ command: [process.execPath, CHAIN, role] });
  instance = await Instance.up({
    processes: { "arm/sensor": program("sensor"), "arm/filter": program("filter"), "arm/controller": program("controller") },
  });
  const client = await instance.connect();
  for (const name of ["arm/sensor", "arm/filter", "arm/controller"]) client.send({ type: "start_process", name });
  await eventually("messages pass the whole chain", async () => {
    const { topics = [] } = (await client.ask({ type: "request_topics" })) as { topics?: { name: string; published_packets: number }[] };
    return topics.some(({ name, published_packets }) => name === "arm/command" && published_packets > 0);
  });
});
afterAll(() => instance?.[Symbol.asyncDispose]());

const latency = async (...args: string[]) => {
  const { code, stdout, stderr } = await instance.run("topic", "latency", "arm/command", "-c", instance.config, ...args);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout;
};

test("a chain of three programs is measured by step and in all, beside the scheduling of each program", async () => {
  const { paths, stages, unstamped, messages } = JSON.parse(await latency("--for", "4", "--limit", "0", "--json"));
  expect(messages).toBeGreaterThan(0);
  expect(unstamped).toBe(0);
  const [path] = paths;
  expect(path.topics).toEqual(["arm/sensor", "arm/filtered", "arm/command"]);
  const [filter, controller, broker] = path.legs;
  expect(filter.min_ms).toBeGreaterThanOrEqual(FILTER_MS);
  expect(controller.min_ms).toBeGreaterThanOrEqual(CONTROLLER_MS);
  expect(broker.min_ms).toBeGreaterThanOrEqual(0);
  expect(path.total.min_ms).toBeGreaterThanOrEqual(FILTER_MS + CONTROLLER_MS);
  for (const { min_ms, p50_ms, p99_ms, max_ms } of [path.total, ...path.legs])
    expect([min_ms, p50_ms, p99_ms, max_ms]).toEqual([min_ms, p50_ms, p99_ms, max_ms].toSorted((a, b) => a - b));
  expect(stages.map(({ topic, client, uncertainty_ms }: Record<string, unknown>) => [topic, client, uncertainty_ms])).toEqual([
    ["arm/sensor", "arm/sensor", 0],
    ["arm/filtered", "arm/filter", 0],
    ["arm/command", "arm/controller", 0],
  ]);
  for (const { threads, pid } of stages) expect(threads.map(({ tid }: { tid: number }) => tid)).toContain(pid);
});

test("the command prints the steps of a chain that was asked for, a histogram, the worst case and the threads", async () => {
  const text = await latency("--for", "3", "--chain", "arm/sensor");
  expect(text).toMatch(/^\d+ messages of arm\/command in [\d.]+ s/);
  expect(text).toMatch(/arm\/sensor → arm\/command/);
  expect(text).toMatch(/arm\/sensor → broker \(in all\)/);
  expect(text).toMatch(/\d+ ms +\d+ +█+/);
  expect(text).toMatch(/worst case: [\d.]+ ms at \d{4}-\d{2}-\d{2}T[\d:.]+ UTC, message \d+/);
  expect(text).toMatch(/arm\/command +arm\/controller +\S+ +same +\d+ +\S+ +OTHER/);
});
