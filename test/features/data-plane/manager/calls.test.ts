import type { NatsConnection } from "@nats-io/nats-core";
import { type ServiceMsg, Svcm } from "@nats-io/services";
import { expect, it } from "vitest";
import type { FoundParameters } from "../../../../src/features/data-plane/manager/data-plane.ts";
import { DataPlaneRig } from "./data-plane-rig.ts";

type Answers = Record<string, (request: Record<string, unknown>, message: ServiceMsg) => object | null>;

async function provide(connection: NatsConnection, name: string, interfaceName: string, answers: Answers): Promise<void> {
  const metadata = { name, interface: JSON.stringify({ name: interfaceName }), provider: "x" };
  const service = await new Svcm(connection).add({ name: "svc", version: "1.0.0", metadata });
  for (const [endpoint, answer] of Object.entries(answers))
    service.addEndpoint(endpoint, {
      subject: `svc.${service.info().id}.${endpoint}`,
      handler: (_error, message) => {
        const response = answer(message.json(), message);
        if (response !== null) message.respond(JSON.stringify(response));
      },
    });
}

function refuse(message: ServiceMsg, code: number, words: string): null {
  message.respondError(code, words);
  return null;
}

const gain = {
  name: "gain",
  type: "float",
  unit: "1/s",
  minimum: 0,
  maximum: 10,
  description: "",
  input: "1",
  output: "1",
  override_value: "1",
  override_enabled: false,
};

it("a service is called by name and endpoint; failures are reported in words", async () => {
  await using rig = await DataPlaneRig.start();
  const client = await rig.client("hub", "driver");
  await provide(client, "arm/move", "demo", {
    call: ({ to }) => ({ reached: to }),
    refuse: (_request, message) => refuse(message, 400, "too far"),
    fail: (_request, message) => refuse(message, 500, "motor is off"),
    mumble: (_request, message) => {
      message.respond("not JSON");
      return null;
    },
  });
  await expect.poll(() => rig.dataPlane.services()).toMatchObject([{ name: "arm/move", provider: "x", provider_host: "one" }]);
  const call = (endpoint: string, name = "arm/move") => rig.dataPlane.callService({ name, endpoint, request: { to: 3 } }, "ada");
  await expect.poll(() => call("call").catch(() => null)).toEqual({ reached: 3 });
  await expect(call("refuse")).rejects.toMatchObject({ code: "bad_field", message: expect.stringContaining("too far") });
  await expect(call("fail")).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("motor is off") });
  await expect(call("mumble")).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("not JSON") });
  await expect(call("fly")).rejects.toMatchObject({ code: "not_found", message: expect.stringMatching(/'fly'.*call, refuse/) });
  await expect(call("call", "leg")).rejects.toMatchObject({ code: "not_found" });
});

it("a service cannot make the manager send messages to hosts, servers, inboxes and streams, or as the publisher of a topic", async () => {
  await using rig = await DataPlaneRig.start();
  const client = await rig.client("hub", "evil");
  const subjects = [
    "mgr.host.two.do.stop",
    "mgr.client.register",
    "$SYS.REQ.x",
    "$LDS.x",
    "$JS.API.x",
    "_INBOX.a.b",
    "topic.arm",
    "svc.*",
    ">",
  ];
  const endpoints = subjects.map((subject, n) => ({ name: `e${n}`, subject }));
  const metadata = { name: "trap", interface: JSON.stringify({ name: "mgr.parameters.v1" }) };
  client.subscribe("$SRV.INFO.trap.1", {
    callback: (_error, message) => {
      message.respond(
        JSON.stringify({ name: "trap", id: "1", metadata, endpoints: [...endpoints, { name: "list", subject: subjects[0] }] }),
      );
    },
  });
  await expect.poll(() => rig.dataPlane.services()).toMatchObject([{ name: "trap" }]);
  const heard: string[] = [];
  rig.hub.port().subscribe(">", ({ subject }) => void heard.push(subject));
  for (const { name, subject } of endpoints)
    await expect(rig.dataPlane.callService({ name: "trap", endpoint: name, request: {} }, "ada")).rejects.toMatchObject({
      code: "conflict",
      message: `'${name}' of service 'trap' was not called: services must not have the subject '${subject}'`,
    });
  expect((await rig.dataPlane.parameters("*")).errors).toMatchObject([
    { service: "trap", message: expect.stringContaining("was not called") },
  ]);
  expect(heard.filter((subject) => subjects.includes(subject))).toEqual([]);
});

it("all providers of parameters are requested, also two of one name; one that does not answer is an error and does not delay the others", async () => {
  await using rig = await DataPlaneRig.start();
  const overrides: unknown[] = [];
  for (const name of ["arm", "arm"])
    await provide(await rig.client("hub", name), "arm/parameters", "mgr.parameters.v1", {
      list: () => ({ parameters: [gain, { ...gain, name: "limit" }] }),
      set_override: (request) => {
        overrides.push(request);
        return { ...request, value: `${request.value}!` };
      },
    });
  await provide(await rig.client("hub", "dead"), "dead/parameters", "mgr.parameters.v1", { list: () => null });
  const find = (pattern: string) => rig.dataPlane.parameters(pattern);
  await expect.poll(async () => (await find("*")).parameters.length).toBe(4);
  let found: FoundParameters = { parameters: [], errors: [] };
  await expect
    .poll(async () => {
      found = await find("gain");
      return [found.parameters.length, found.errors.length];
    })
    .toEqual([2, 1]);
  const { parameters, errors } = found;
  expect(errors).toEqual([
    {
      provider: "dead",
      provider_id: rig.clientNamed("dead")?.id,
      service: "dead/parameters",
      message: expect.stringContaining("did not answer"),
    },
  ]);
  expect(new Set(parameters.map(({ provider_id }) => provider_id)).size).toBe(2);
  const [first] = parameters;
  expect(first).toEqual({
    ...gain,
    id: `${first?.provider_id}:arm/parameters:gain`,
    service: "arm/parameters",
    provider: "arm",
    provider_id: first?.provider_id,
  });
  const limits = async () => (await find("arm/parameters:l*")).parameters.map(({ name }) => name);
  await expect.poll(limits).toEqual(["limit", "limit"]);
  const change = { service: "arm/parameters", provider_id: first?.provider_id ?? 0, parameter: "gain", enabled: true, value: "2" };
  expect(await rig.dataPlane.setOverride(change, "ada")).toEqual({ enabled: true, value: "2!" });
  expect(overrides).toEqual([{ parameter: "gain", enabled: true, value: "2" }]);
  await expect(rig.dataPlane.setOverride({ ...change, provider_id: 999_999 }, "ada")).rejects.toMatchObject({ code: "not_found" });
});

it("an answer that does not fit the interface of parameters is refused with the name of its field", async () => {
  await using rig = await DataPlaneRig.start();
  await provide(await rig.client("hub", "arm"), "arm/parameters", "mgr.parameters.v1", {
    list: () => ({ parameters: [gain, { ...gain, minimum: "0" }] }),
    set_override: () => gain,
  });
  const errors = async () => (await rig.dataPlane.parameters("*")).errors.map(({ message }) => message);
  await expect.poll(errors).toEqual([expect.stringContaining("parameters[1].minimum: expected number, received string")]);
  const change = { service: "arm/parameters", provider_id: rig.clientNamed("arm")?.id ?? 0, parameter: "gain", enabled: true, value: "2" };
  await expect(rig.dataPlane.setOverride(change, "ada")).rejects.toThrow(
    "to set_override does not fit the interface of parameters (docs/clients.md): enabled: expected boolean",
  );
});

it("a scope is given exactly the topic's output", async () => {
  await using rig = await DataPlaneRig.start();
  const client = await rig.client("hub", "arm");
  await provide(client, "arm/parameters", "mgr.parameters.v1", { request_topic: ({ parameter }) => ({ topic: parameter }) });
  await expect.poll(() => rig.dataPlane.services().length).toBe(1);
  const named = { service: "arm/parameters", provider_id: rig.clientNamed("arm")?.id ?? 0, parameter: "gain" };
  const open = () => rig.dataPlane.openScope(named, "ada");
  await expect.poll(() => open().catch((error: Error) => error.message)).toContain("set instance.scope_process");
  const traces: unknown[] = [];
  await provide(await rig.client("hub", "scope"), "scope", "mgr.scope.v1", {
    open: (request) => {
      traces.push(request);
      return {};
    },
  });
  await expect.poll(() => open().catch(() => null)).toEqual({ topic: "gain", process: "" });
  expect(traces).toEqual([{ trace: "gain.output" }]);
});
