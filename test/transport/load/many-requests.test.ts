import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Client, startRig } from "../rig.ts";
import { answered, expectUnhindered, handled, held } from "./many-requests.ts";

let rig: Awaited<ReturnType<typeof startRig>>;
let client: Client;

beforeEach(async () => {
  rig = await startRig(["sim/world", "db"]);
  client = await rig.connect();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** What the fake answers with as the loads of hosts. */
const LOADS = { loads: [], hosts: [] };

it("a slow answer holds up no other answer, output or event", async () => {
  const loads = held(LOADS);
  const commands = held(["cd /"]);
  rig.control.loads = loads.begin;
  rig.control.startupCommands = commands.begin;
  client.send({ type: "request_process_loads", request_id: "slow" });
  client.send({ type: "dump_startup_commands", name: "sim/world", request_id: "commands" });
  await expectUnhindered(rig, client, [{ type: "request_plan" }]);
  expect([loads.begun, commands.begun]).toEqual([1, 1]);
  loads.end();
  expect(await client.nextOf("process_loads")).toMatchObject({ request_id: "slow" });
  commands.end();
  expect(await client.nextOf("process_startup_commands")).toMatchObject({ request_id: "commands", ok: true });
});

it("of one kind of frame 16 run and 64 wait; beyond that it is busy, for this kind alone", async () => {
  const loads = held(LOADS);
  rig.control.loads = loads.begin;
  for (let index = 0; index < 81; index++) client.send({ type: "request_process_loads", request_id: index });
  expect(await client.next()).toMatchObject({ type: "error", code: "busy", request_type: "request_process_loads", request_id: 80 });
  expect(loads.begun).toBe(16);
  expect(await client.ask({ type: "get_snapshot" })).toMatchObject({ type: "snapshot" });
  loads.end(3);
  expect(await client.nextOf("process_loads")).toMatchObject({ request_id: 3 });
  await handled(client);
  expect(loads.begun).toBe(17);
  while (answered(client).filter((id) => /^\d+$/.test(id)).length < 81) {
    loads.endAll();
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
    expect(answered(client).slice(2)).toEqual(["set", "start", "output"]);
  });

  it("a process: a stop does not wait for a reading", async () => {
    const backlog = held(rig.control.backlog);
    Object.assign(rig.control.terminals, { backlog: backlog.begin });
    client.send({ type: "get_process_output", name: "db", request_id: "output" });
    expect(await client.ask({ type: "stop_process", name: "db" })).toMatchObject({ type: "ack" });
    backlog.end();
    expect(await client.nextOf("process_output_snapshot")).toMatchObject({ request_id: "output" });
  });
});
