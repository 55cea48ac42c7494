import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { UnixDatagramSocket } from "../../../../src/daemon/native/unix-datagram.ts";
import { ServiceNotifier, serviceSettings } from "../../../../src/features/service/manager/service-notifier.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

test("the variables of systemd are taken out of the environment, and those of another process set no watchdog", () => {
  const environment = { NOTIFY_SOCKET: "@/run/notify", WATCHDOG_USEC: "30000000", WATCHDOG_PID: String(process.pid), PATH: "/bin" };
  expect(serviceSettings(environment)).toEqual({ address: "\0/run/notify", intervalMs: 10_000 });
  expect(environment).toEqual({ PATH: "/bin" });
  expect(serviceSettings({ NOTIFY_SOCKET: "/n", WATCHDOG_USEC: "1000", WATCHDOG_PID: "1" })).toEqual({ address: "/n", intervalMs: null });
  expect(serviceSettings({ NOTIFY_SOCKET: "relative" })).toBeNull();
  expect(serviceSettings({})).toBeNull();
});

test("a listener on an abstract address receives that the manager is up, signs of life until it ends, and that it stops", async () => {
  const address = `mgr-test-${process.pid}-${Date.now()}`;
  const receive = `import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("\\0${address}")
print("listening", flush=True)
while True: print(s.recv(100).decode(), flush=True)`;
  const listener = spawn("python3", ["-c", receive], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface(listener.stdout)[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value;
  expect(await next()).toBe("listening");

  const clock = new SimulatedClock();
  const notifier = new ServiceNotifier(new UnixDatagramSocket(`\0${address}`), { intervalMs: 10_000, clock });
  notifier.begin();
  expect(await next()).toBe("READY=1");
  await clock.advance(20_000);
  expect([await next(), await next()]).toEqual(["WATCHDOG=1", "WATCHDOG=1"]);
  notifier.end();
  expect(await next()).toBe("STOPPING=1");
  notifier.close();
  await clock.advance(20_000);
  listener.kill();
  await once(listener, "exit");
  // Nothing has come after the end.
  expect(await next()).toBeUndefined();
});
