import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Bus } from "../../../src/bus/client/bus.ts";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import { freePort } from "../../support/free-port.ts";
import { NatsServer } from "../../support/nats/nats-server.ts";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

const MEMBER = fileURLToPath(new URL("../../fixtures/bus-member.js", import.meta.url));
const processes = { member: { command: [process.execPath, MEMBER], autostart: true, ready: { regex: "on the bus" } } };

const guest = (url: string) => connectBus({ server: { kind: "url", urls: [url] }, name: "guest", waitForBroker: false });
const busUrl = (instance: Instance) => readFileSync(join(instance.stateDir, "bus.url"), "utf8").trim();
const pidOf = async (bus: Bus) => Number(Buffer.from((await bus.request("member.pid", "", { timeoutMs: 60_000 })).data).toString());

test("programs of a host lose no message while the manager is killed and another one adopts them", async () => {
  await using instance = await Instance.up({ processes });
  const client = await instance.connect();
  await instance.mgr("wait", "member", "--for", "ready");
  const { pid } = await client.process("member");
  const [publisher, subscriber] = [await guest(busUrl(instance)), await guest(busUrl(instance))];
  expect(await pidOf(publisher)).toBe(pid);
  const heard: number[] = [];
  subscriber.subscribe("topic.count", ({ data }) => heard.push(Number(Buffer.from(data).toString())));
  await subscriber.flush();
  let sent = 0;
  const publishing = setInterval(() => publisher.publish("topic.count", `${sent++}`), 2);

  instance.kill("manager");
  await instance.foreground.ended;
  const atKill = sent;
  await eventually("messages flow without a manager", () => heard.length > atKill);
  await instance.start("up", "-c", instance.config).up();
  const atReturn = sent;
  await eventually("messages flow with the next manager", () => heard.length > atReturn);
  clearInterval(publishing);
  await publisher.flush();
  await subscriber.flush();
  expect(heard).toEqual(Array.from({ length: sent }, (_, n) => n));
  // The token of an adopted run is as good as before.
  expect(await pidOf(publisher)).toBe(pid);
  await Promise.all([publisher.close(), subscriber.close()]);
  expect((await (await instance.connect()).process("member")).restarts).toBe(0);
});

const FAR_TOKEN = "a-secret-of-two-machines-0123456789";

/** A manager and the daemon of another host, `far`, which runs the member. */
async function twoHosts(settings: object, bus: (instance: Instance) => string) {
  // The daemon of the other host looks for the next manager at the same port. The kernel does not give it to another program.
  const manager = `localhost:${freePort()}`;
  const started = await Instance.up({
    instance: { ...settings, manager },
    hosts: { far: { token_file: "far.token" } },
    processes: { member: { ...processes.member, node: "far" }, lone: { command: "sleep 1000" } },
  });
  writeFileSync(join(started.dir, "far.token"), `${FAR_TOKEN}\n`, { mode: 0o600 });
  const state = join(started.dir, "state-far");
  started.start("daemon", "--host", "far", "--bus", bus(started), "--token-file", join(started.dir, "far.token"), "--state-dir", state);
  await started.mgr("wait", "member", "--for", "ready");
  return started;
}

const untilAnswered = async (bus: Bus, pid: number | null) => {
  let heard = 0;
  await eventually("the member of the other host answers", () => {
    pidOf(bus).then(
      (answer) => {
        heard = answer;
      },
      () => {},
    );
    return heard !== 0;
  });
  expect(heard).toBe(pid);
};

test("programs of two hosts reach each other over the manager, and within a host also while the manager is down", async () => {
  await using instance = await twoHosts({}, ({ url }) => url.replace(/^http/, "ws"));
  const { pid } = await (await instance.connect()).process("member");
  const here = await guest(busUrl(instance));
  const there = await guest(readFileSync(join(instance.dir, "state-far", "bus.url"), "utf8").trim());
  await untilAnswered(here, pid);

  instance.kill("manager");
  await instance.foreground.ended;
  expect(await pidOf(there)).toBe(pid);
  await instance.start("up", "-c", instance.config).up();
  await untilAnswered(here, pid);
  expect(here.isConnected && there.isConnected).toBe(true);
  await Promise.all([here.close(), there.close()]);
});

test("with a nats-server, its leaf-node listener links the hosts, and each continues without it", async () => {
  await using server = await NatsServer.start('leafnodes {listen: "127.0.0.1:$LEAF_PORT"}');
  const { url, leafPort } = server;
  await using instance = await twoHosts({ bus: url, bus_leafnode_url: `nats://127.0.0.1:${leafPort}` }, () => url);
  const { pid } = await (await instance.connect()).process("member");
  const [here, outside] = [await guest(busUrl(instance)), await guest(url)];
  await untilAnswered(here, pid);
  await untilAnswered(outside, pid);
  await Promise.all([here.close(), outside.close()]);

  await server.end();
  const there = await guest(readFileSync(join(instance.dir, "state-far", "bus.url"), "utf8").trim());
  expect(await pidOf(there)).toBe(pid);
  await there.close();
  await instance.mgr("start", "lone");
  await instance.mgr("restart", "lone");
  expect(await (await instance.connect()).process("lone")).toMatchObject({ state: "started", host_ready: true });
});
