import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { permissionsOf } from "../../../src/bus/broker/permissions.ts";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import { NatsServer } from "../../support/nats/nats-server.ts";
import { Tcp } from "../carriers.ts";

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL("../../../examples/bus/bus.py", import.meta.url));
const bus = (url: string, ...words: string[]) => run("python3", [SCRIPT, ...words], { env: { ...process.env, MGR_BUS_URL: url } });

/** Publishes, listens and asks at this address, as the script says in its first lines. */
async function useAll(url: string): Promise<void> {
  const listener = spawn("python3", [SCRIPT, "listen", "arm.>", "2"], { env: { ...process.env, MGR_BUS_URL: url } });
  let heard = "";
  listener.stdout.setEncoding("utf8").on("data", (text) => {
    heard += text;
  });
  const closed = once(listener, "close");
  await once(listener.stdout, "data");
  await bus(url, "publish", "leg.state", "not heard");
  await bus(url, "publish", "arm.state", "42 °C\r\nPONG");
  await bus(url, "publish", "arm.left.state", "");
  expect(await closed).toEqual([0, null]);
  expect(heard).toBe("listening\narm.state 42 °C\r\nPONG\narm.left.state \n");
  const server = await connectBus({ server: { kind: "url", urls: [url] }, name: "double" });
  try {
    server.subscribe("double", (message) => {
      if (message.reply !== undefined) server.publish(message.reply, String(2 * Number(Buffer.from(message.data).toString())));
    });
    await server.flush();
    expect(await bus(url, "ask", "double", "21")).toMatchObject({ stdout: "42\n" });
    await expect(bus(url, "ask", "nobody", "")).rejects.toMatchObject({ stderr: "no responders\n" });
  } finally {
    await server.close();
  }
}

describe("the example in Python", () => {
  it("works with the manager's own broker at the address in its environment, and receives refusals", async () => {
    await using tcp = new Tcp(false, [["a-client-token", permissionsOf({ kind: "client", name: "c" })]]);
    await tcp.begin();
    await useAll(`nats://a-client-token@127.0.0.1:${tcp.port}`);
    await expect(bus(`nats://wrong@127.0.0.1:${tcp.port}`, "publish", "a", "b")).rejects.toMatchObject({
      stderr: expect.stringMatching(/-ERR 'Authorization Violation'/),
    });
    await expect(bus(`nats://a-client-token@127.0.0.1:${tcp.port}`, "publish", "mgr.host.h.event", "b")).rejects.toMatchObject({
      stderr: expect.stringMatching(/Permissions Violation for Publish to "mgr.host.h.event"/),
    });
  });

  it("works with nats-server", async () => {
    await using server = await NatsServer.start();
    await useAll(server.url);
  });
});
