import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NETWORK_STATS } from "../features/network-statistics/network-example.ts";
import { type Client, startRig } from "./rig.ts";

let rig: Awaited<ReturnType<typeof startRig>>;
let client: Client;

beforeEach(async () => {
  rig = await startRig(["sim/world", "db"]);
  client = await rig.connect();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** Work of a fake that ends when the test says so. */
function held<T>(result: T) {
  const ends: (() => void)[] = [];
  return {
    get begun() {
      return ends.length;
    },
    begin: () => new Promise<T>((resolve) => ends.push(() => resolve(result))),
    end: (index = 0) => ends[index]?.(),
    endAll: () => {
      for (const end of ends) end();
    },
  };
}

/** Types and names of the answers so far, in their order. */
const answers = () => client.frames.filter(({ request_id }) => request_id !== undefined).map(({ request_id }) => String(request_id));
/** Everything that was sent before has been handled. */
const handled = () => client.ask({ type: "request_topics" });

it("a slow answer holds up no other answer, output or event", async () => {
  const stats = held(NETWORK_STATS);
  rig.control.features.network.stats = stats.begin;
  const call = held({ sum: 3 });
  Object.assign(rig.control.features.dataPlane, { callService: call.begin });
  client.send({ type: "request_network_stats", sample_seconds: 5, request_id: "slow" });
  client.send({ type: "call_service", name: "adder", endpoint: "add", request: {}, request_id: "call" });
  for (const frame of [
    { type: "get_process_output", name: "db" },
    { type: "get_snapshot" },
    { type: "request_loggers" },
    { type: "request_process_list", host: "localhost" },
    { type: "request_parameters", pattern: "*" },
    { type: "stop_process", name: "db" },
    { type: "subscribe_process_output", patterns: ["db"] },
  ])
    expect(await client.ask(frame), frame.type).not.toMatchObject({ type: "error" });
  rig.output("db", 0, "hello");
  rig.control.update("db", { state: "started" });
  expect(await client.nextOf("process_output")).toMatchObject({ output: "hello" });
  expect(await client.nextOf("process_upsert")).toMatchObject({ process: { state: "started" } });
  expect([stats.begun, call.begun]).toEqual([1, 1]);
  stats.end();
  expect(await client.nextOf("network_stats")).toMatchObject({ request_id: "slow" });
  call.end();
  expect(await client.nextOf("service_call_result")).toMatchObject({ request_id: "call", ok: true });
});

it("of one kind of frame 16 run and 64 wait; beyond that it is busy, for this kind alone", async () => {
  const stats = held(NETWORK_STATS);
  rig.control.features.network.stats = stats.begin;
  for (let index = 0; index < 81; index++) client.send({ type: "request_network_stats", request_id: index });
  expect(await client.next()).toMatchObject({ type: "network_stats", ok: false, code: "busy", request_id: 80 });
  expect(stats.begun).toBe(16);
  expect(await client.ask({ type: "get_snapshot" })).toMatchObject({ type: "snapshot" });
  stats.end(3);
  expect(await client.nextOf("network_stats")).toMatchObject({ request_id: 3 });
  await handled();
  expect(stats.begun).toBe(17);
  while (answers().filter((id) => /^\d+$/.test(id)).length < 81) {
    stats.endAll();
    await client.next();
  }
});

describe("frames about one object keep their order", () => {
  it("a process: a start waits for a setting that is being saved, and no other process does", async () => {
    const saving = held(true);
    rig.control.setAttribute = saving.begin;
    client.send({ type: "set_process_attribute", name: "db", attribute: "svc_debug", value: true, request_id: "set" });
    client.send({ type: "start_process", name: "db", request_id: "start" });
    client.send({ type: "get_process_output", name: "db", request_id: "output" });
    expect(await client.ask({ type: "stop_process", name: "sim/world" })).toMatchObject({ type: "ack" });
    expect(await client.ask({ type: "stop_group", name: "sim" })).toMatchObject({ type: "ack" });
    expect(rig.control.calls).toEqual([
      ["stopProcess", "sim/world"],
      ["stopGroup", "sim"],
    ]);
    saving.end();
    await client.nextOf("process_output_snapshot");
    expect(answers().slice(2)).toEqual(["set", "start", "output"]);
  });

  it("a process: a stop does not wait for a reading", async () => {
    const backlog = held(rig.control.backlog);
    Object.assign(rig.control.terminals, { backlog: backlog.begin });
    client.send({ type: "get_process_output", name: "db", request_id: "output" });
    expect(await client.ask({ type: "stop_process", name: "db" })).toMatchObject({ type: "ack" });
    backlog.end();
    expect(await client.nextOf("process_output_snapshot")).toMatchObject({ request_id: "output" });
  });

  it("loggers: the list is given after the logger was started, and another one is started meanwhile", async () => {
    const starting = held(undefined);
    rig.control.features.loggers.start = starting.begin;
    client.send({ type: "start_logger", name: "arm", request_id: "start arm" });
    client.send({ type: "stop_logger", name: "arm", request_id: "stop arm" });
    client.send({ type: "start_logger", name: "leg", request_id: "start leg" });
    client.send({ type: "request_loggers", request_id: "list" });
    await handled();
    expect(starting.begun).toBe(2);
    starting.end(1);
    expect(await client.nextOf("logger_action_result")).toMatchObject({ request_id: "start leg" });
    starting.end(0);
    await client.nextOf("loggers_snapshot");
    expect(answers().slice(-3)).toEqual(["start arm", "stop arm", "list"]);
  });

  it("a host, by any of its names", async () => {
    const listing = held({ host: "testhost", show_threads: false, show_env: false, filter: "", time: "", columns: [], rows: [] });
    rig.control.features.tasks.list = listing.begin;
    client.send({ type: "request_process_list", host: "localhost", request_id: "one" });
    client.send({ type: "request_process_list", host: "testhost", request_id: "two" });
    await handled();
    expect(listing.begun).toBe(1);
    listing.end(0);
    expect(await client.nextOf("process_list")).toMatchObject({ request_id: "one" });
    await handled();
    listing.end(1);
    expect(await client.nextOf("process_list")).toMatchObject({ request_id: "two" });
  });
});
