import { expect, test } from "vitest";
import { createManager } from "../../../../src/app/index.ts";

const LISTENER = `import socket, time
one = socket.socket()
one.bind(("127.0.0.1", 0))
one.listen()
print("listening on", one.getsockname()[1], flush=True)
time.sleep(1000)`;

const listener = { command: ["/usr/bin/python3", "-c", LISTENER], ready: { regex: "listening on \\d+" } };

test("the ports of processes are found on request; a focused connection sees those of its view alone", async () => {
  await using manager = await createManager({ processes: { "web/api": listener, db: listener, idle: { command: ["sleep", "1000"] } } });
  for (const name of ["web/api", "db"]) await manager.process(name).start();
  const { processes, away } = await manager.request({ type: "request_ports" });
  expect(away).toEqual([]);
  expect(processes.map(({ name, complete, ports }) => [name, complete, ports.length]).sort()).toEqual([
    ["db", true, 1],
    ["web/api", true, 1],
  ]);
  const { output } = await manager.request({ type: "get_process_output", name: "db" });
  const db = processes.find(({ name }) => name === "db");
  expect(output).toContain(`listening on ${db?.ports[0]?.port}`);
  expect(db?.ports[0]).toMatchObject({ protocol: "tcp", address: "127.0.0.1", own_network: false });
  const focused = manager.connect({ single_group: "web" });
  expect((await focused.request({ type: "request_ports" })).processes.map(({ name }) => name)).toEqual(["web/api"]);
  await expect(focused.request({ type: "request_ports", name: "db" })).rejects.toMatchObject({ code: "out_of_scope" });
  await expect(manager.request({ type: "request_ports", name: "none" })).rejects.toMatchObject({ code: "not_found" });
});
