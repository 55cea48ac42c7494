import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SmallDisk } from "../../../e2e/support/small-disk.ts";
import { readIndexed } from "../../recordings/samples/mcap/indexed-reader.ts";
import { FlightRig, trigger } from "./flight-rig.ts";

async function publishFor(rig: FlightRig, ms: number, from: number): Promise<number> {
  let n = from;
  for (let at = 0; at < ms; at += 100) {
    rig.publish("arm/state", { n: n++ });
    await rig.clock.advance(100);
  }
  return n;
}

const numbersOf = (messages: readonly { topic: string; data: Buffer }[]) =>
  messages.filter(({ topic }) => topic === "arm/state").map(({ data }) => JSON.parse(String(data)).n as number);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

const INTERFACE = { interface: "eth0", rx_bytes_s: 9, tx_bytes_s: 8, rx_errors_s: 0, tx_errors_s: 0, rx_drops_s: 0, tx_drops_s: 1 };
const LINK = { rtt_ms: 0.4, sent_bytes_s: 7, received_bytes_s: 6, retransmits_s: 0 };

it("a part has the time before and after, with topics, terminals by their offsets, states, load, network figures and notes", async () => {
  await using rig = new FlightRig();
  rig.configure();
  await publishFor(rig, 5_000, 0);
  rig.write("sim/camera", "hello \u001b[1mworld");
  rig.write("sim/camera", "\r\n");
  rig.run("ready", "sim/camera");
  rig.recorder.measured("sim/camera", [12.5, 1_000]);
  rig.recorder.machineMeasured([50, 2_000]);
  rig.networkMeasured({ interfaces: [INTERFACE], link: LINK });
  const log = { time: String(rig.now), topic: "mgr/log", value: { level: "info", source: "mgr", msg: "noted" } } as const;
  const call = { time: String(rig.now), topic: "mgr/services", value: { service: "reset" } } as const;
  rig.recorder.note({ session: "s", notes: [log, call] });
  const incident = await rig.keep(3_000, 2_000);
  expect(rig.part(incident)).toMatchObject({ state: "writing", cause: null, fired: 1 });
  await publishFor(rig, 4_000, 50);
  const part = await rig.done(incident);
  const messages = await rig.messages(incident);
  expect(part).toMatchObject({ state: "complete", problem: null, missing: [], messages: messages.length });
  expect(numbersOf(messages)).toEqual(range(20, 70));
  const of = (topic: string) => messages.filter((each) => each.topic === topic).map(({ data }) => data);
  const terminal = of("mgr/terminal/sim/camera").map((data) => [Number(data.readBigUInt64LE()), String(data.subarray(8))]);
  expect(terminal).toEqual([
    [0, "hello \u001b[1mworld"],
    [15, "\r\n"],
  ]);
  expect(JSON.parse(String(of("mgr/processes")[0]))).toMatchObject({ kind: "ready", name: "sim/camera", rows: 24, cols: 80 });
  expect(JSON.parse(String(of("mgr/load")[0]))).toMatchObject({ name: "sim/camera", cpu_percent: 12.5, memory: 1_000, threads: null });
  expect(JSON.parse(String(of("mgr/machine")[0]))).toMatchObject({ cpu_percent: 50, memory_used: 2_000, load: null });
  expect(JSON.parse(String(of("mgr/link")[0]))).toEqual(LINK);
  expect(JSON.parse(String(of("mgr/interfaces")[0]))).toEqual(INTERFACE);
  expect(JSON.parse(String(of("mgr/log")[0]))).toMatchObject({ name: "mgr", message: "noted", level: 2 });
  expect(JSON.parse(String(of("mgr/services")[0]))).toEqual({ service: "reset" });
  const { metadata } = await readIndexed(join(rig.folder, `${incident}.copy`));
  expect(metadata.filter(({ name }) => name === "mgr.incident").at(-1)?.values).toMatchObject({ incident, host: "rt1", missing: "[]" });
  await rig.recorder.delete({ session: "s", incident });
  expect(rig.events.at(-1)).toMatchObject({ incident, part: null, seq: rig.recorder.seq });
  await expect(rig.recorder.read({ session: "s", incident, from: 0, max: 10 })).rejects.toMatchObject({ code: "not_found" });
});

it("the network is measured only while the flight recorder is on", async () => {
  await using rig = new FlightRig();
  expect(rig.measuresNetwork).toBe(false);
  rig.configure();
  expect(rig.measuresNetwork).toBe(true);
  rig.configure({ max_rate: 10 });
  expect(rig.measuresNetwork).toBe(true);
  rig.configure({ memory: 0 });
  expect(rig.measuresNetwork).toBe(false);
});

it("a part begins with the state of each process that ran then, also if it changes later or not at all", async () => {
  await using rig = new FlightRig();
  rig.configure();
  for (const name of ["arm", "camera", "gone"]) rig.run("ready", name);
  rig.run("extinct", "gone", { code: 0, signal: null, reason: null });
  await rig.clock.advance(10_000);
  rig.crash("camera");
  rig.run("spawned", "late");
  await rig.clock.advance(1_000);
  const from = rig.now - 5_000_000_000n;
  const incident = await rig.keep(5_000, 0);
  await rig.done(incident);
  const changes = (await rig.messages(incident)).map(({ data, logTime }) => {
    const { kind, name, ready } = JSON.parse(String(data)) as Record<string, unknown>;
    return [logTime, kind, name, ready];
  });
  const now = rig.part(incident)?.until ?? "";
  const changed = BigInt(now) - 1_000_000_000n;
  expect(changes).toEqual([
    [from, "state", "arm", true],
    [from, "state", "camera", true],
    [changed, "exited", "camera", false],
    [changed, "spawned", "late", false],
  ]);
});

it("a part is read by Python's standard library alone", async () => {
  await using rig = new FlightRig();
  rig.configure();
  await publishFor(rig, 2_000, 0);
  const incident = await rig.keep(2_000, 0);
  await rig.done(incident);
  const path = await rig.fetch(incident);
  const found = JSON.parse(execFileSync("python3", ["test/features/flight/host/read_mcap.py", path], { encoding: "utf8" }));
  expect(found.messages["arm/state"]).toBe(20);
  expect(found.metadata["mgr.incident"]).toMatchObject({ incident, host: "rt1" });
  expect(found.last).toEqual({ n: 19 });
});

it("says how far the ring reaches back, and which messages are missing", async () => {
  await using rig = new FlightRig();
  rig.configure({ memory: 64 * 1024 });
  rig.publish("arm/state", { n: 0 }, { sequence: 1n });
  rig.publish("arm/state", { n: 1 }, { sequence: 4n });
  rig.publish("eye/image", Buffer.alloc(100_000), { encoding: "raw" });
  await rig.clock.advance(1_000);
  const incident = await rig.keep(30_000, 0);
  const part = await rig.done(incident);
  expect(part.missing).toEqual([
    expect.stringMatching(/^everything before 00:00:00\.000 UTC: the ring reaches back 1 s only$/),
    "2 messages of arm/state",
    "1 message of eye/image",
  ]);
  expect(part).toMatchObject({ messages: 2, reaches: "1767225600000000000" });
});

it("keeps one message of several where a topic is too fast", async () => {
  await using rig = new FlightRig();
  rig.configure({ max_rate: 100 });
  for (let n = 0; n < 3_000; n++) {
    rig.publish("imu", { n }, { sequence: BigInt(n + 1) });
    if (n % 100 === 99) await rig.clock.advance(100);
  }
  const incident = await rig.keep(3_000, 0);
  const part = await rig.done(incident);
  // The rate is known after the first second.
  expect(part.messages).toBe(1_000 + 200);
  expect(part.missing).toEqual([]);
});

it("refuses what it cannot keep, and begins a part once", async () => {
  await using rig = new FlightRig({ maxBytes: 1_000 });
  await expect(rig.keep(1_000, 0)).rejects.toMatchObject({ code: "conflict" });
  rig.configure();
  rig.publish("arm/state", { text: "x".repeat(2_000) });
  await rig.clock.advance(100);
  const incident = await rig.keep(1_000, 0);
  await rig.keep(1_000, 0);
  await expect(rig.keep(1_000, 4_000_000, "20260101-000000-mgr-2")).rejects.toMatchObject({ code: "bad_field" });
  await rig.done(incident);
  expect(rig.events.filter(({ part }) => part?.state === "writing")).toHaveLength(1);
  await expect(rig.keep(1_000, 0, "20260101-000000-mgr-2")).rejects.toMatchObject({ code: "busy" });
});

it("deleting a part that is being written ends it", async () => {
  await using rig = new FlightRig();
  rig.configure();
  const incident = await rig.keep(1_000, 60_000);
  await publishFor(rig, 1_000, 0);
  await rig.recorder.delete({ session: "s", incident });
  expect(JSON.parse(Buffer.from((await rig.recorder.parts()).data).toString())).toEqual([]);
});

it("a killed daemon's part is written anew from the ring on the disk, which names the time in which no daemon ran", async () => {
  await using first = new FlightRig();
  first.configure({ disk: 4 * 1024 * 1024, span_ms: 3_600_000 });
  await publishFor(first, 5_000, 0);
  const incident = await first.keep(3_000, 600_000);
  await publishFor(first, 5_000, 50);
  // More than three quarters of it are on the disk.
  while ((await first.recorder.ring()).disk_bytes < 3_200) await first.clock.advance(10);
  await using next = await first.killed(2_000);
  await publishFor(next, 5_000, 200);
  await next.clock.advance(600_000);
  const part = await next.done(incident);
  const numbers = numbersOf(await next.messages(incident));
  const before = numbers.filter((n) => n < 200);
  expect(before).toEqual(range(20, (before.at(-1) ?? 0) + 1));
  expect(before.length).toBeGreaterThanOrEqual(40);
  const after = numbers.filter((n) => n >= 200);
  expect(after).toEqual(range(200, 200 + after.length));
  expect(after.length).toBeGreaterThan(0);
  expect(part.missing).toEqual([
    expect.stringMatching(/^everything from 00:\d\d:\d\d\.\d+ UTC to 00:\d\d:\d\d\.\d+ UTC: the host daemon did not run$/),
  ]);
});

it("a killed daemon's part without a ring on the disk has what was written, and says what is missing", async () => {
  await using first = new FlightRig();
  first.configure({ span_ms: 3_600_000 });
  await publishFor(first, 5_000, 0);
  const incident = await first.keep(3_000, 1_800_000);
  const path = join(first.folder, "flight/parts", `${incident}.mcap`);
  for (let n = 50; (statSync(path, { throwIfNoEntry: false })?.size ?? 0) < 4_000; ) n = await publishFor(first, 500, n);
  await using next = await first.killed(2_000);
  const part = await next.done(incident);
  const numbers = numbersOf(await next.messages(incident));
  expect(numbers).toEqual(range(20, 20 + numbers.length));
  expect(numbers.length).toBeGreaterThan(0);
  expect(part).toMatchObject({ state: "complete", messages: numbers.length });
  expect(part.missing).toEqual([expect.stringMatching(/^what came after \d\d:\d\d:\d\d\.\d+ UTC: the host daemon was killed/)]);
});

it("ring, parts and triggers go on in the program that replaces this one", async () => {
  await using first = new FlightRig();
  const crash = trigger({ kind: "crash", processes: ["*"] }, { before_ms: 3_000, after_ms: 4_000 });
  first.configure({ triggers: [crash] });
  await publishFor(first, 5_000, 0);
  first.crash("sim/camera");
  await publishFor(first, 2_000, 50);
  const [incident = ""] = first.incidents;
  await using next = await first.replaced();
  next.crash("sim/camera");
  await publishFor(next, 3_000, 70);
  const part = await next.done(incident);
  expect(part).toMatchObject({ fired: 2, missing: [], state: "complete" });
  expect(numbersOf(await next.messages(incident))).toEqual(range(20, 90));
  const later = await next.keep(60_000, 0);
  await next.done(later);
  expect(numbersOf(await next.messages(later))).toEqual(range(0, 100));
});

it("a full disk ends a part with what is in it, and the ring goes on", async () => {
  await using rig = new FlightRig();
  using _disk = new SmallDisk(rig.folder, 4);
  rig.configure({ memory: 8 * 1024 * 1024, disk: 1024 * 1024 });
  const body = Buffer.alloc(60_000, "x");
  for (let n = 0; n < 100; n++) {
    rig.publish("eye/image", body, { encoding: "raw", sequence: BigInt(n + 1) });
    await rig.clock.advance(10);
  }
  const incident = await rig.keep(10_000, 0);
  const part = await rig.done(incident);
  expect(part).toMatchObject({ state: "complete" });
  expect(part.missing.join("\n")).toMatch(/ENOSPC|disk is full/);
  const messages = await readIndexed(join(rig.folder, "flight/parts", `${incident}.mcap`)).then((file) => file.messages);
  expect(messages).toHaveLength(part.messages);
  expect(messages.length).toBeGreaterThan(10);
  expect(await rig.recorder.ring()).toMatchObject({ messages: 100 });
  await rig.recorder.delete({ session: "s", incident });
});
