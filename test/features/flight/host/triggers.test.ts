import { expect, it } from "vitest";
import type { FlightPart } from "../../../../src/features/flight/contract.ts";
import { MAX_INCIDENTS_PER_HOUR } from "../../../../src/features/flight/host/triggers/incident-starter.ts";
import { FlightRig, trigger } from "./flight-rig.ts";

const all = ["*"];

/** Texts of the causes of all incidents, in order. */
const causes = (rig: FlightRig) => rig.incidents.map((incident) => rig.part(incident)?.cause?.text);

it("a crash begins an incident that contains it, and a requested stop does not", async () => {
  await using rig = new FlightRig();
  rig.configure({ triggers: [trigger({ kind: "crash", processes: ["sim/*"] })] });
  rig.run("spawned", "sim/camera");
  rig.run("exited", "sim/world", { code: 0, signal: null, reason: null });
  rig.crash("other");
  expect(rig.incidents).toEqual([]);
  rig.run("exited", "sim/camera", { code: null, signal: "SIGSEGV", reason: null });
  expect(causes(rig)).toEqual(["sim/camera crashed: ended by SIGSEGV"]);
  const [incident = ""] = rig.incidents;
  expect(incident).toMatch(/^20260101-000000-rt1-\d+$/);
  expect(rig.part(incident)).toMatchObject({ state: "writing", fired: 1, cause: { trigger: "crash" } });
  await rig.done(incident);
  const kinds = (await rig.messages(incident)).map(({ data }) => JSON.parse(String(data)).kind);
  expect(kinds).toEqual(["spawned", "exited", "exited", "exited"]);
});

it("forty crashes at once are one incident, which counts them", async () => {
  await using rig = new FlightRig();
  rig.configure({ triggers: [trigger({ kind: "crash", processes: all })] });
  for (let n = 0; n < 40; n++) rig.crash(`sim/${n}`);
  const [incident = ""] = rig.incidents;
  const part = await rig.done(incident);
  expect(rig.incidents).toHaveLength(1);
  expect(part).toMatchObject({ fired: 40, messages: 40, cause: { text: "sim/0 crashed: exit code 3" } });
  // Events of a storm are few.
  expect(rig.events.length).toBeLessThan(5);
  await rig.clock.advance(61_000);
  rig.crash("sim/1");
  expect(rig.incidents).toHaveLength(2);
});

it("a process that crashes all the time is one incident, and hides no crash of another one", async () => {
  await using first = new FlightRig();
  first.configure({ triggers: [trigger({ kind: "crash", processes: all })] });
  for (let n = 0; n < 10; n++) {
    first.crash("loop");
    await first.clock.advance(40_000);
  }
  expect(causes(first)).toEqual(["loop crashed: exit code 3"]);
  await using next = await first.replaced();
  next.crash("loop");
  next.crash("arm");
  next.crash("loop");
  expect(causes(next).filter((text) => text?.startsWith("arm"))).toEqual(["arm crashed: exit code 3"]);
  expect(new Set([...first.incidents, ...next.incidents]).size).toBe(2);
  await next.clock.advance(59_000);
  next.crash("loop");
  expect(new Set([...first.incidents, ...next.incidents]).size).toBe(2);
});

it("what fires again after its part was deleted is counted in it, until its trigger begins another incident or is not configured any more", async () => {
  await using first = new FlightRig();
  const crash = trigger({ kind: "crash", processes: all }, { quiet_ms: 600_000 });
  first.configure({ triggers: [crash] });
  first.crash("arm");
  const [incident = ""] = first.incidents;
  await first.done(incident);
  await first.recorder.delete({ session: "s", incident });
  expect(first.part(incident)).toMatchObject({ state: "removed", fired: 1, size: 0 });
  first.crash("arm");
  await first.clock.advance(1_000);
  expect(first.part(incident)).toMatchObject({ state: "removed", fired: 2 });
  await expect(first.recorder.read({ session: "s", incident, from: 0, max: 1 })).rejects.toMatchObject({ code: "not_found" });
  await using next = await first.replaced();
  next.crash("arm");
  await next.clock.advance(1_000);
  expect(next.part(incident)).toMatchObject({ state: "removed", fired: 3 });
  await next.clock.advance(601_000);
  next.crash("arm");
  const later = next.incidents.find((each) => each !== incident) ?? "";
  await next.done(later);
  await next.recorder.delete({ session: "s", incident: later });
  const listed = async () => JSON.parse(Buffer.from((await next.recorder.parts()).data).toString()) as FlightPart[];
  expect((await listed()).map((part) => part.incident)).toEqual([later]);
  next.configure({ triggers: [] });
  expect(await listed()).toEqual([]);
});

it("triggers that never end to fire begin a limited number of incidents within an hour, and the log says so", async () => {
  await using rig = new FlightRig();
  rig.configure({ triggers: [trigger({ kind: "crash", processes: all }, { quiet_ms: 0, after_ms: 0 })] });
  for (let n = 0; n < 2 * MAX_INCIDENTS_PER_HOUR; n++) {
    rig.crash("sim/camera");
    await rig.clock.advance(1_000);
  }
  expect(rig.incidents).toHaveLength(MAX_INCIDENTS_PER_HOUR);
  expect(rig.logged.join("\n")).toContain(`${MAX_INCIDENTS_PER_HOUR} were begun within an hour`);
  for (const incident of rig.incidents) {
    await rig.done(incident);
    await rig.recorder.delete({ session: "s", incident });
  }
  await rig.clock.advance(3_600_000);
  rig.crash("sim/camera");
  expect(rig.incidents).toHaveLength(MAX_INCIDENTS_PER_HOUR + 1);
});

it("states of runs begin incidents", async () => {
  await using rig = new FlightRig();
  const states = (...names: ("started" | "ready" | "ended" | "failed")[]) =>
    trigger({ kind: "state", processes: all, states: names }, { name: names.join(), quiet_ms: 0 });
  rig.configure({ triggers: [states("started"), states("ready"), states("ended"), states("failed")] });
  rig.run("spawned", "a");
  rig.run("ready", "a");
  rig.run("exited", "a", { code: 0, signal: null, reason: null });
  rig.recorder.startFailed("b", "no such file");
  rig.crash("c");
  expect(causes(rig)).toEqual([
    "a started",
    "a became ready",
    "a ended: exit code 0",
    "b could not be started: no such file",
    "c ended: exit code 3",
    "c crashed: exit code 3",
  ]);
});

it("a line of output begins an incident, in whatever pieces it comes, and also without an end", async () => {
  await using rig = new FlightRig();
  rig.configure({ triggers: [trigger({ kind: "output", processes: ["arm"], pattern: "torque limit|E\\d{3}" }, { quiet_ms: 0 })] });
  rig.write("arm", "all well\r\ntorque \u001b[31mli");
  rig.write("other", "torque limit\n");
  expect(rig.incidents).toEqual([]);
  rig.write("arm", "mit\u001b[0m reached\r\nstopping E42");
  expect(causes(rig)).toEqual(["arm wrote: torque limit reached"]);
  rig.write("arm", "1");
  rig.run("exited", "arm", { code: 0, signal: null, reason: null });
  expect(causes(rig).at(-1)).toBe("arm wrote: stopping E421");
});

it("a field begins an incident when it has fulfilled its condition for long enough, once until it does not", async () => {
  await using rig = new FlightRig();
  const when = { kind: "topic", topic: "arm/state", field: "torque[2]", comparison: ">", limit: 40, for_ms: 50 } as const;
  rig.configure({ triggers: [trigger(when, { quiet_ms: 0 })] });
  const publish = async (...values: number[]) => {
    for (const value of values) {
      rig.publish("arm/state", { torque: [0, 0, value] });
      await rig.clock.advance(20);
    }
  };
  await publish(41, 42, 39, 41, 42, 43);
  expect(rig.incidents).toEqual([]);
  await publish(44, 45, 46);
  expect(causes(rig)).toEqual(["arm/state.torque[2] was 44: > 40 for 50 ms"]);
  await publish(1, 50, 50, 50, 50);
  expect(rig.incidents).toHaveLength(2);
  rig.publish("arm/state", Buffer.from("no JSON"));
  rig.publish("arm/state", { torque: "none" });
});

it("a CDR sample is read by its definition", async () => {
  await using rig = new FlightRig();
  const when = { kind: "topic", topic: "imu", field: "x", comparison: "==", limit: 2.5, for_ms: 0 } as const;
  rig.configure({ triggers: [trigger(when)] });
  const sample = Buffer.alloc(12);
  sample.writeUInt8(1, 1);
  sample.writeDoubleLE(2.5, 4);
  rig.publish("imu", sample, { encoding: "cdr", definition: "float64 x" });
  expect(causes(rig)).toEqual(["imu.x was 2.5: == 2.5"]);
  rig.publish("imu", sample.subarray(0, 6), { encoding: "cdr", definition: "float64 x" });
  expect(rig.logged.join("\n")).toContain("cannot read 'imu'");
});

it("a topic that falls silent begins an incident, once until it is published again", async () => {
  await using rig = new FlightRig();
  rig.configure({ triggers: [trigger({ kind: "gap", topic: "lidar", gap_ms: 100 }, { quiet_ms: 0 })] });
  await rig.clock.advance(1_000);
  for (let n = 0; n < 20; n++) {
    rig.publish("lidar", {});
    await rig.clock.advance(90);
  }
  expect(rig.incidents).toEqual([]);
  await rig.clock.advance(500);
  expect(causes(rig)).toEqual(["lidar was silent for 100 ms"]);
  rig.publish("lidar", {});
  await rig.clock.advance(200);
  expect(rig.incidents).toHaveLength(2);
});

it("a rate that leaves its limits begins an incident, once until it is within them again", async () => {
  await using rig = new FlightRig();
  rig.configure({ triggers: [trigger({ kind: "rate", topic: "imu", min: 80, max: 120 }, { quiet_ms: 0 })] });
  const publish = async (rate: number) => {
    for (let n = 0; n < rate; n++) {
      rig.publish("imu", {});
      await rig.clock.advance(1_000 / rate);
    }
  };
  await publish(50);
  expect(rig.incidents).toEqual([]);
  await publish(100);
  await publish(100);
  await publish(200);
  await publish(200);
  await publish(100);
  await rig.clock.advance(3_000);
  expect(causes(rig).map((text) => text?.replace(/[\d.]+ messages/, "N messages"))).toEqual([
    "imu had N messages/s, at most 120 are expected",
    "imu had N messages/s, at least 80 are expected",
  ]);
});

it("triggers are judged by the next daemon without any manager, and numbers of incidents are not used again", async () => {
  await using first = new FlightRig();
  first.configure({ triggers: [trigger({ kind: "crash", processes: all })] });
  first.crash("a");
  const [earlier = ""] = first.incidents;
  await first.done(earlier);
  await using next = await first.killed(0);
  next.crash("a");
  const [later = ""] = next.incidents;
  expect(later).not.toBe(earlier);
  const rows = JSON.parse(Buffer.from((await next.recorder.parts()).data).toString());
  expect(rows.map(({ incident }: { incident: string }) => incident).sort()).toEqual([earlier, later].sort());
});

it("a recorder that is switched off keeps nothing and judges nothing", async () => {
  await using rig = new FlightRig();
  rig.configure({ triggers: [trigger({ kind: "crash", processes: all })] });
  rig.publish("arm/state", {});
  rig.configure({ memory: 0, triggers: [trigger({ kind: "crash", processes: all })] });
  rig.publish("arm/state", {});
  rig.crash("a");
  expect(rig.incidents).toEqual([]);
  expect(await rig.recorder.ring()).toMatchObject({ bytes: 0, messages: 0, oldest: null });
});
