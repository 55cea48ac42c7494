import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Bus } from "../../../src/bus/client/bus.ts";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import { NatsServer } from "../../support/nats-server.ts";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

const MEMBER = fileURLToPath(new URL("../../fixtures/bus-member.js", import.meta.url));
const processes = { member: { command: [process.execPath, MEMBER], autostart: true, ready: { regex: "on the bus" } } };

const guest = (url: string) => connectBus({ server: { kind: "url", urls: [url] }, name: "guest", waitForBroker: false });
const busUrl = (instance: Instance) => readFileSync(join(instance.stateDir, "bus.url"), "utf8").trim();
const pidOf = async (bus: Bus) => Number(Buffer.from((await bus.request("member.pid", "", { timeoutMs: 5_000 })).data).toString());

test("a process comes to the bus by MGR_BUS_URL, and again to the next manager when the first was killed", async () => {
  await using instance = await Instance.up({ processes });
  const client = await instance.connect();
  await instance.mgr("wait", "member", "--for", "ready");
  const { pid } = await client.process("member");
  const first = await guest(busUrl(instance));
  expect(await pidOf(first)).toBe(pid);
  await first.close();

  instance.kill("manager");
  await instance.foreground.ended;
  await instance.start("up", "-c", instance.config).up();
  const second = await guest(busUrl(instance));
  // It comes back when its client tries the next time.
  let heard = 0;
  await eventually("the member answers", () => {
    pidOf(second).then(
      (answer) => {
        heard = answer;
      },
      () => {},
    );
    return heard !== 0;
  });
  expect(heard).toBe(pid);
  await second.close();
  expect((await (await instance.connect()).process("member")).restarts).toBe(0);
});

test("with a configured nats-server, the local host and its programs do not need it", async () => {
  await using server = await NatsServer.start();
  await using instance = await Instance.up({ instance: { bus: server.url }, processes: { ...processes, lone: { command: "sleep 1000" } } });
  await instance.mgr("wait", "member", "--for", "ready");
  const bus = await guest(busUrl(instance));
  const { pid } = await (await instance.connect()).process("member");
  expect(await pidOf(bus)).toBe(pid);
  await bus.close();
  await server.end();
  await instance.mgr("start", "lone");
  await instance.mgr("restart", "lone");
  const client = await instance.connect();
  expect(await client.process("lone")).toMatchObject({ state: "started", host_ready: true });
  expect((await client.process("member")).pid).toBe(pid);
});
