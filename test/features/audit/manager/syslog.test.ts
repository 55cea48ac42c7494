import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { syslogTarget } from "../../../../src/features/audit/syslog-target.ts";
import { AuditRig, command, give } from "../rig.ts";

/** RFC 5424, 6: `<PRI>VERSION TIMESTAMP HOSTNAME APP-NAME PROCID MSGID STRUCTURED-DATA MSG`. */
const MESSAGE = /^<(\d+)>1 (\S+) \S+ mgr-bench \d+ audit - (\{.*\})$/s;

/** Receives datagrams as a syslog daemon does, which Node cannot. */
const RECEIVER = `
import socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print("ready", flush=True)
while True:
    print(receiver.recv(65536).decode(), flush=True)
`;

test("each record is sent to a syslog socket of this machine, with its seal", async () => {
  await using rig = new AuditRig();
  const folder = mkdtempSync(join(tmpdir(), "mgr-syslog-"));
  const path = join(folder, "log");
  const receiver = spawn("python3", ["-c", RECEIVER, path], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
    await lines.next();
    rig.settings = { ...rig.settings, syslog: path };
    const audit = await rig.start();
    await give(audit, "stop_process", { target: "sim/a" });
    audit.observer.refused(command("start_process"), { ok: false, code: "forbidden", message: "no" });
    await audit.close();
    const received: string[] = [];
    for (let count = 0; count < 4; count++) received.push(String((await lines.next()).value));
    const messages = received.map((text) => MESSAGE.exec(text) ?? []);
    expect(messages.map(([, priority]) => priority)).toEqual(["110", "110", "110", "109"]);
    expect(messages.map(([, , time]) => time)).toEqual(rig.lines().map((line) => `${(JSON.parse(line) as { time: string }).time}Z`));
    expect(messages.map(([, , , text]) => text)).toEqual(rig.lines());
    expect(audit.unsent).toBe(0);
  } finally {
    const exit = once(receiver, "exit");
    receiver.kill("SIGKILL");
    await exit;
    rmSync(folder, { recursive: true });
  }
});

test("each record is sent to a port of another machine", async () => {
  await using rig = new AuditRig();
  const receiver = createSocket("udp4");
  receiver.bind(0, "127.0.0.1");
  await once(receiver, "listening");
  const received = once(receiver, "message");
  rig.settings = { ...rig.settings, syslog: `udp://127.0.0.1:${(receiver.address() as AddressInfo).port}` };
  const audit = await rig.start();
  await give(audit, "stop_process");
  const [message] = (await received) as [Buffer];
  expect(MESSAGE.exec(String(message))?.[3]).toBe(rig.lines()[0]);
  receiver.close();
});

test("records that no syslog receives are counted and reported, and commands do not wait for it", async () => {
  await using rig = new AuditRig();
  rig.settings = { ...rig.settings, syslog: join(rig.folder, "nothing") };
  const audit = await rig.start();
  await give(audit, "stop_process");
  await audit.close();
  expect(audit.unsent).toBe(3);
  expect(rig.logged).toEqual([expect.stringContaining("a record of the audit was not sent to")]);
});

test.each([
  ["/dev/log", { path: "/dev/log" }],
  ["udp://log.lab:514", { host: "log.lab", port: 514 }],
  ["udp://[::1]:514", { host: "::1", port: 514 }],
  ["udp://log.lab", null],
  ["tcp://log.lab:514", null],
  ["udp://log.lab:70000", null],
  [`/${"x".repeat(200)}`, null],
])("the address %s of a syslog is read", (text, target) => {
  expect(syslogTarget(text)).toEqual(target);
});
