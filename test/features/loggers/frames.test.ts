import { afterEach, beforeEach, expect, it } from "vitest";
import { outOfScope } from "../../../src/transport/view.ts";
import { answered, expectUnhindered, handled, held } from "../../transport/load/many-requests.ts";
import { type Client, startRig } from "../../transport/rig.ts";

let rig: Awaited<ReturnType<typeof startRig>>;
let client: Client;

beforeEach(async () => {
  rig = await startRig(["sim/world", "db"]);
  client = await rig.connect();
});
afterEach(() => rig[Symbol.asyncDispose]());

it("a snapshot has the loggers, and is followed by services and loggers in the same turn", async () => {
  expect(await client.ask({ type: "get_snapshot" })).toMatchObject({ loggers: [] });
  expect(await client.next()).toEqual({ type: "services_snapshot", services: [] });
  expect(await client.next()).toEqual({ type: "loggers_snapshot", loggers: [] });
});

it("the list of loggers is given while another answer is slow", async () => {
  const loads = held({ loads: [], hosts: [] });
  rig.control.loads = loads.begin;
  client.send({ type: "request_process_loads", request_id: "slow" });
  await expectUnhindered(rig, client, [{ type: "request_loggers" }]);
  loads.end();
  expect(await client.nextOf("process_loads")).toMatchObject({ request_id: "slow" });
});

it("the list is given after the logger was started, and another one is started meanwhile", async () => {
  const starting = held(undefined);
  rig.control.features.loggers.start = starting.begin;
  client.send({ type: "start_logger", name: "arm", request_id: "start arm" });
  client.send({ type: "stop_logger", name: "arm", request_id: "stop arm" });
  client.send({ type: "start_logger", name: "leg", request_id: "start leg" });
  client.send({ type: "request_loggers", request_id: "list" });
  await handled(client);
  expect(starting.begun).toBe(2);
  starting.end(1);
  expect(await client.nextOf("logger_action_result")).toMatchObject({ request_id: "start leg" });
  starting.end(0);
  await client.nextOf("loggers_snapshot");
  while (!answered(client).includes("list")) await client.next();
  expect(answered(client).slice(-3)).toEqual(["start arm", "stop arm", "list"]);
});

it.each([
  [{ kind: "full" }, true],
  [{ kind: "log_only" }, false],
  [{ kind: "single_process", name: "sim/world" }, false],
  [{ kind: "single_group", name: "sim" }, false],
] as const)("a view %j may start a logger that is named like a process: %s", (view, isAllowed) => {
  expect(outOfScope(view, { type: "start_logger", name: "sim/world" }) === null).toBe(isAllowed);
});
