import { expect, it, test } from "vitest";
import type { CommandOutcome } from "../../../../src/base/command-observer.ts";
import type { MgrError } from "../../../../src/base/errors.ts";
import { CommandAudit } from "../../../../src/features/audit/manager/command-audit.ts";
import { TrailWriter } from "../../../../src/features/audit/manager/trail-writer.ts";
import { NO_MAC } from "../../../../src/features/audit/trail/chain.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { AuditRig, command, give, SETTINGS } from "../rig.ts";

const REFUSED: CommandOutcome = { ok: false, code: "not_found", message: "there is no process 'x'" };

test("a command is on the disk before it takes effect, and its outcome afterwards, under the same number", async () => {
  await using rig = new AuditRig();
  const audit = await rig.start();
  const end = await audit.observer.before(command("stop_process", { target: "sim/a", args: { name: "sim/a" }, requestId: "r1" }));
  const request = { seq: 2, event: "requested", user: "ada", role: "admin", via: "cookie", client: "browser", address: "10.0.0.9:4711" };
  expect(rig.records()).toMatchObject([{ event: "file" }, { ...request, command: "stop_process", target: "sim/a", request_id: "r1" }]);
  end(REFUSED);
  await audit.close();
  expect(rig.records()[2]).toEqual({ seq: 3, event: "refused", id: 2, code: "not_found", message: "there is no process 'x'" });
});

test("secrets are not recorded: typed text, contents of files, values of environments, and what is named like a secret", async () => {
  await using rig = new AuditRig();
  const audit = await rig.start();
  await give(audit, "save_config_file", { args: { path: "/a.yaml", content: "password: hunter2" }, secrets: ["content"] });
  await give(audit, "set_process_command_override", { args: { override: "API_TOKEN=hunter2 run --password 'hunter2 x' --port 80" } });
  await give(audit, "other", { args: { environment: { HOME: "hunter2" }, deep: { api_key: "hunter2" }, list: ["--secret=hunter2"] } });
  await give(audit, "long", { args: { value: "hunter2 ".repeat(1_000), other: 3 } });
  await give(audit, "send_stdin", { target: "a", args: { name: "a", text: "hunter2\r" }, secrets: ["text"] });
  await audit.close();
  expect(rig.lines().join("\n")).not.toContain("hunter2");
  expect(rig.records().flatMap(({ event, args }) => (event === "requested" && args ? [args] : []))).toEqual([
    { path: "/a.yaml", content: { bytes: 17, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    { override: "API_TOKEN=*** run --password *** --port 80" },
    { environment: { HOME: "***" }, deep: { api_key: "***" }, list: ["--secret=***"] },
    { value: { bytes: 8_000, sha256: expect.any(String) }, other: 3 },
  ]);
});

test("typing is one entry for each user, process and minute: recorded at its first key, its size when the minute is over", async () => {
  await using rig = new AuditRig();
  const clock = new SimulatedClock();
  const audit = await rig.start({ clock });
  const type = (text: string, target = "sim/a") => give(audit, "send_stdin", { target, args: { name: target, text }, secrets: ["text"] });
  await type("ls");
  expect(rig.records().at(-1)).toMatchObject({ event: "requested", command: "send_stdin", target: "sim/a" });
  await type("\r");
  await type("x", "sim/b");
  await clock.advance(60_000);
  await type("é");
  await audit.close();
  const ends = rig.records().filter(({ event }) => event === "accepted");
  expect(ends.map(({ args }) => args)).toEqual([
    { count: 2, bytes: 3 },
    { count: 1, bytes: 1 },
    { count: 1, bytes: 2 },
  ]);
  expect(rig.records().filter(({ event }) => event === "requested")).toHaveLength(3);
});

test("with terminal_input, the typed text is recorded, and what the terminal wrote by itself is counted apart", async () => {
  await using rig = new AuditRig();
  rig.settings = { ...rig.settings, terminal_input: true };
  const audit = await rig.start();
  const type = (text: string, reply?: true) =>
    give(audit, "send_stdin", { target: "a", args: { text, ...(reply && { reply }) }, secrets: ["text"] });
  await type("sudo id\r");
  await type("\u001b[1;1R", true);
  await audit.close();
  expect(rig.records().at(-1)).toMatchObject({
    event: "accepted",
    args: { count: 2, bytes: 8, reply_bytes: 6, text: "sudo id\r\u001b[1;1R" },
  });
});

test("a script that logs in with each request is recorded once in ten minutes, and refusals of one user at most 30 times a minute", async () => {
  await using rig = new AuditRig();
  const clock = new SimulatedClock();
  const audit = await rig.start({ clock });
  const sender = { user: "bot", via: "basic", grants: [] } as const;
  for (let port = 1; port <= 50; port++) await give(audit, "log_in", { sender: { ...sender, address: `10.0.0.9:${port}` } });
  for (let count = 0; count < 45; count++)
    audit.observer.refused(command("log_in", { sender: { ...sender, user: `guess ${count}`, address: "10.0.0.6:1" } }), {
      ok: false,
      code: "forbidden",
      message: "Unknown user or wrong password",
    });
  await clock.advance(10 * 60_000);
  await give(audit, "log_in", { sender: { ...sender, address: "10.0.0.9:51" } });
  await audit.close();
  const records = rig.records();
  expect(records.filter(({ event, command: name }) => event === "requested" && name === "log_in")).toHaveLength(2);
  expect(records.filter(({ event }) => event === "denied")).toHaveLength(30);
  expect(records).toContainEqual({ seq: expect.any(Number), event: "omitted", user: "10.0.0.6", command: "log_in", count: 15 });
});

test("a disabled audit records nothing", async () => {
  await using rig = new AuditRig();
  rig.settings = { ...rig.settings, enabled: false };
  const audit = await rig.start();
  await give(audit, "stop_process");
  audit.observer.refused(command("stop_process"), { ok: false, code: "busy", message: "" });
  await audit.close();
  expect(await rig.files()).toEqual([]);
});

/** An audit whose disk is in the test's hands. */
function onDisk({ required = false } = {}) {
  const clock = new SimulatedClock();
  const disk: { written: string[]; fails: boolean; hangs: boolean } = { written: [], fails: false, hangs: false };
  const problems: (string | null)[] = [];
  const writer = new TrailWriter({
    clock,
    folder: "/nowhere",
    end: { key: Buffer.alloc(32), files: [], current: null, mac: NO_MAC, seq: 0, cut: null },
    limits: () => SETTINGS,
    warn: () => {},
    onProblem: (problem) => problems.push(problem),
    file: {
      async append(_file, text) {
        if (disk.hangs) await new Promise(() => {});
        if (disk.fails) throw new Error("no space left on device");
        disk.written.push(text);
      },
      async close() {},
    },
  });
  let unrecorded = 0;
  const audit = new CommandAudit({
    clock,
    settings: () => ({ ...SETTINGS, required }),
    trail: writer,
    onUnrecorded: () => {
      unrecorded++;
    },
  });
  return { clock, disk, problems, writer, audit, unrecorded: () => unrecorded };
}

test("records of one turn share a write", async () => {
  const { audit, disk } = onDisk();
  await Promise.all(Array.from({ length: 50 }, () => audit.before(command("stop_process"))));
  expect(disk.written).toHaveLength(1);
  expect(disk.written[0]?.split("\n")).toHaveLength(52);
});

test("on a full disk commands are carried out, and their records are written when it works again", async () => {
  const { audit, disk, problems, clock } = onDisk();
  disk.fails = true;
  const end = await audit.before(command("one"));
  end({ ok: true });
  await audit.before(command("two"));
  expect(problems).toEqual(["no space left on device"]);
  disk.fails = false;
  await clock.advance(2_000);
  await expect.poll(() => problems).toEqual(["no space left on device", null]);
  expect(disk.written.join("").match(/"command":"\w+"|"event":"accepted"/g)).toEqual([
    '"command":"one"',
    '"event":"accepted"',
    '"command":"two"',
  ]);
});

it.each(["fails", "hangs"] as const)("if the audit is required, commands are refused while the disk %s", async (how) => {
  const { audit, disk, clock } = onDisk({ required: true });
  disk[how] = true;
  const refused = expect(audit.before(command("stop_process"))).rejects.toThrow(
    /^Nothing was done, because the audit cannot be written \(/,
  );
  await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(2_000);
  await refused;
});

test("records that the disk does not take are bounded: the lost ones are counted, in the trail too", async () => {
  const { writer, disk } = onDisk();
  disk.fails = true;
  for (let count = 0; count < 10_050; count++) writer.append({ event: "accepted", id: count });
  await writer.saved().catch(() => undefined);
  expect(writer.lost).toBe(51);
  disk.fails = false;
  await writer.saved();
  writer.append({ event: "accepted", id: 1 });
  await writer.saved();
  expect(disk.written.at(-1)).toContain('"event":"lost","count":51,"reason":');
});

test("a trail that cannot be opened refuses commands only if it is required", async () => {
  for (const required of [false, true]) {
    let unrecorded = 0;
    const onUnrecorded = () => void unrecorded++;
    const trail = { unusable: "it belongs to another user" };
    const audit = new CommandAudit({ clock: new SimulatedClock(), settings: () => ({ ...SETTINGS, required }), trail, onUnrecorded });
    const outcome = await Promise.resolve(audit.before(command("stop_process"))).then(
      () => "carried out",
      (error: MgrError) => error.message,
    );
    if (required) expect(outcome).toContain("it belongs to another user");
    else expect([outcome, unrecorded]).toEqual(["carried out", 1]);
  }
});

test("a log-in that was refused because it could not be recorded is not taken for a repetition", async () => {
  const { audit, disk } = onDisk({ required: true });
  disk.fails = true;
  const logIn = () =>
    Promise.resolve(audit.before(command("log_in"))).then(
      () => "admitted",
      (error: MgrError) => error.code,
    );
  expect(await logIn()).toBe("conflict");
  expect(await logIn()).toBe("conflict");
  disk.fails = false;
  expect([await logIn(), await logIn()]).toEqual(["admitted", "admitted"]);
});
