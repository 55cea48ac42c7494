import { Svcm } from "@nats-io/services";
import { expect, it } from "vitest";
import { RawClient } from "../bus-rig.ts";
import { RegistryRig, register } from "./registry-rig.ts";

it("a plain NATS client is shown with what the broker knows of it, until its connection ends", async () => {
  await using rig = await RegistryRig.start();
  const plain = await rig.connect("plain", "arm/driver");
  expect(rig.registry.tables().clients).toEqual([
    {
      connection: expect.any(Number),
      name: "plain",
      pid: 0,
      address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      library_version: 0,
      svn_revision: 0,
      modified: false,
      svc_debug: false,
      registered: false,
      run_id: "7-1",
      process_name: "arm/driver",
      subscriptions: [],
    },
  ]);
  await plain.close();
  await expect.poll(() => rig.registry.tables().clients).toEqual([]);
  rig.registry.flush();
  expect(rig.changes.at(-1)).toMatchObject({ kind: "client_gone" });
});

it("a registration is shown, and answered with the host where it was made", async () => {
  await using rig = await RegistryRig.start();
  const client = await rig.connect("x");
  const about = { pid: 4711, library_version: 3, svn_revision: 99, modified: true, svc_debug: true };
  expect(await register(client, { name: "größe", ...about, unknown: 1 })).toEqual({
    ok: true,
    name: "größe",
    host: "rt1",
    server: "leaf",
    problems: [],
  });
  expect(rig.client$("größe")).toMatchObject({ ...about, registered: true });
});

it("connections without an identity are not clients, and cannot register", async () => {
  await using rig = await RegistryRig.start();
  const { subscriptions } = rig.broker.stats();
  const memory = rig.broker.connectMemory();
  memory.write([Buffer.from('CONNECT {"verbose":false}\r\nSUB topic.x 1\r\nPUB mgr.client.register 2\r\n{}\r\nPING\r\n')]);
  await expect.poll(() => rig.broker.stats().subscriptions).toBe(subscriptions + 1);
  expect(rig.registry.tables()).toEqual({ clients: [], topics: [], services: [] });
  memory.destroy();
});

it("subscriptions that may match a topic are part of a client", async () => {
  await using rig = await RegistryRig.start();
  const client = await rig.connect("reader");
  const subscription = client.subscribe("topic.arm.state");
  for (const subject of ["topic.arm.state", "topic.>", ">", "other"]) client.subscribe(subject);
  await client.flush();
  expect(rig.client$("reader")?.subscriptions).toEqual(["topic.arm.state", "topic.arm.state", "topic.>", ">"]);
  subscription.unsubscribe();
  await client.flush();
  expect(rig.client$("reader")?.subscriptions).toEqual(["topic.arm.state", "topic.>", ">"]);
});

it("a client that does not answer two pings is removed", async () => {
  await using rig = await RegistryRig.start({ pingIntervalMs: 500 });
  const silent = await RawClient.connect({ host: "127.0.0.1", port: rig.port });
  silent.send('CONNECT {"verbose":false,"name":"silent","auth_token":"t"}\r\nPING\r\n');
  // Not polled: it is removed soon.
  await silent.until((text) => text.includes("PONG"));
  expect(rig.client$("silent")).toBeDefined();
  expect(await silent.end()).toContain("Stale Connection");
  await expect.poll(() => rig.client$("silent")).toBeUndefined();
});

it("services are discovered by their subscriptions, with endpoints that come later, and are removed with their client", async () => {
  await using rig = await RegistryRig.start();
  const client = await rig.client("driver");
  const about = { name: "arm/home 1", interface: '{"name":"arm.v1"}', provider: "driver", host: "rt1" };
  const service = await new Svcm(client).add({ name: "arm_home", version: "1.0.0", metadata: about });
  service.addEndpoint("go", { subject: "svc.arm.home%201.go", handler: (_error, message) => void message.respond("{}") });
  const records = () => rig.registry.tables().services;
  await expect.poll(() => records()[0]?.endpoints).toEqual([{ name: "go", subject: "svc.arm.home%201.go" }]);
  expect(records()).toEqual([
    {
      connection: rig.client$("driver")?.connection,
      id: service.info().id,
      name: "arm/home 1",
      interface: '{"name":"arm.v1"}',
      provider: "driver",
      port: rig.port,
      unix_socket: null,
      endpoints: [{ name: "go", subject: "svc.arm.home%201.go" }],
    },
  ]);
  service.addEndpoint("stop", { subject: "svc.arm.home%201.stop", handler: (_error, message) => void message.respond("{}") });
  await expect.poll(() => records()[0]?.endpoints.length).toBe(2);
  // It is asked itself, and by nothing that other clients could see or answer.
  expect((await service.stats()).endpoints?.map(({ num_requests }) => num_requests)).toEqual([0, 0]);
  await service.stop();
  await expect.poll(() => records()).toEqual([]);
});

it("a service without metadata is shown under its NATS name; so is one that never answers", async () => {
  await using rig = await RegistryRig.start();
  const client = await rig.client("driver");
  await new Svcm(client).add({ name: "plain", version: "1.0.0" });
  client.subscribe("$SRV.INFO.mute.ID1");
  const names = () => rig.registry.tables().services.map(({ name, provider }) => `${provider}:${name}`);
  await expect.poll(names).toEqual(expect.arrayContaining(["driver:plain", "driver:mute"]));
});
