import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { outOfScope } from "../../../src/transport/view.ts";
import { expectUnhindered, held } from "../../transport/load/many-requests.ts";
import { startRig } from "../../transport/rig.ts";

let rig: Awaited<ReturnType<typeof startRig>>;

beforeEach(async () => {
  rig = await startRig(["sim/world", "db"]);
});
afterEach(() => rig[Symbol.asyncDispose]());

it("a snapshot has clients, topics and services, and is followed by services in the same turn", async () => {
  const client = await rig.connect();
  expect(await client.ask({ type: "get_snapshot" })).toMatchObject({ clients: [], topics: [], services: [] });
  expect(await client.next()).toEqual({ type: "services_snapshot", services: [] });
});

it("the slow answer of a service holds up no other answer, output or event", async () => {
  const client = await rig.connect();
  const call = held({ sum: 3 });
  Object.assign(rig.control.features.dataPlane, { callService: call.begin });
  client.send({ type: "call_service", name: "adder", endpoint: "add", request: {}, request_id: "call" });
  await expectUnhindered(rig, client, [{ type: "request_topics" }, { type: "request_parameters", pattern: "*" }]);
  expect(call.begun).toBe(1);
  call.end();
  expect(await client.nextOf("service_call_result")).toMatchObject({ request_id: "call", ok: true });
});

describe("a focused view may not ask for clients", () => {
  it("it is refused with out_of_scope", async () => {
    const process = await rig.connect("?single_process=db");
    expect((await process.ask({ type: "request_clients" })).code).toBe("out_of_scope");
  });

  it.each([
    [{ kind: "full" }, true],
    [{ kind: "log_only" }, false],
    [{ kind: "single_process", name: "sim/world" }, false],
    [{ kind: "single_group", name: "sim" }, false],
  ] as const)("%j", (view, isAllowed) => {
    expect(outOfScope(view, { type: "request_clients" }) === null).toBe(isAllowed);
  });
});
