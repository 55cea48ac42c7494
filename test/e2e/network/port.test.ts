import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { Client } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { isAlive } from "../support/marked.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

const processes = { plain: { command: ECHO }, lasting: { command: ECHO, autostart: true } };

/** Resolves as soon as a connection is accepted, as scripts wait for it. */
async function untilOpen(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

test("commands are accepted as soon as the port is open, at a first start and after an adoption", async () => {
  const port = freePort();
  await using instance = new Instance({ processes, instance: { manager: `localhost:${port}` } });
  const open = () => Client.open(`ws://localhost:${port}/ws`, { authorization: instance.basic });

  const first = instance.start("up", "-c", instance.config);
  await untilOpen(port);
  const client = await open();
  await client.command({ type: "start_process", name: "plain" });
  expect((await client.snapshot()).host_list).toMatchObject([{ daemon_ready: true }]);
  await eventually("both run", async () =>
    (await Promise.all(["plain", "lasting"].map((name) => client.process(name)))).every(({ state }) => state === "started"),
  );
  await first.up();
  instance.kill("manager");
  // Its port is closed with its last thread.
  await first.ended;

  const second = instance.start("up", "-c", instance.config);
  await untilOpen(port);
  const again = await open();
  await again.command({ type: "send_signal", name: "lasting", signal: "SIGWINCH" });
  await second.up();
  expect([...client.problems, ...again.problems]).toEqual([]);
});

test("without a hello of the daemon the port opens after 10 s, with the reason in the log and from mgr up --detach", async () => {
  await using instance = new Instance({ processes });
  await instance.mgr("up", "--detach");
  const client = await instance.connect();
  await eventually("it runs", async () => (await client.process("lasting")).state === "started");
  const killed = instance.kill("manager");
  await eventually("the manager is dead", () => !isAlive(killed));
  const daemon = instance.kill("daemon", "SIGSTOP");

  const outcome = await instance.mgr("up", "--detach");
  const reason = `the host daemon (pid ${daemon}) has not said hello within 10 s`;
  expect(outcome.stderr).toContain(reason);
  expect(readFileSync(join(instance.stateDir, "manager.log"), "utf8")).toContain(reason);
  expect(await (await instance.fetch("/mgr/health")).text()).toBe("ok");
  const late = await instance.connect();
  expect(await late.ask({ type: "start_process", name: "plain" })).toMatchObject({ code: "host_unavailable" });

  process.kill(daemon, "SIGCONT");
  await eventually("it is adopted", async () => (await late.process("lasting")).state === "started");
  await instance.mgr("down");
  expect(instance.living()).toEqual([]);
});

test("a port that is in use is reported before anything is started", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  try {
    const { port } = taken.address() as AddressInfo;
    await using instance = new Instance({ processes, instance: { manager: `localhost:${port}` } });
    const { code, stderr } = await instance.run("up", "-c", instance.config);
    expect(code).toBe(1);
    expect(stderr).toContain(`port ${port} of localhost is taken by pid ${process.pid}`);
    expect(instance.pidOf("daemon")).toBeNull();
  } finally {
    taken.close();
  }
});
