import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MgrError } from "../../../../src/base/errors.ts";
import { untilAborted } from "../../../../src/base/timing/wait.ts";
import type { FlightPart } from "../../../../src/features/flight/contract.ts";
import { mergeMcap } from "../../../../src/features/recordings/samples/merge/merge.ts";
import { readMcap } from "../../recordings/samples/mcap/independent-reader.ts";
import { readIndexed } from "../../recordings/samples/mcap/indexed-reader.ts";
import { Rig } from "./flight-rig.ts";

const fileOf = (rig: Rig, id = rig.incident?.id ?? "") => join(rig.dir, "incidents", id, "incident.mcap");
const complete = (rig: Rig) => expect.poll(() => rig.incident?.state).toBe("complete");
const SECOND = 1_000_000_000n;

test("a trigger of one host makes one file of all hosts, with their clocks put right", async () => {
  await using rig = await Rig.open();
  const [here, far] = [rig.host("here"), rig.host("far", 1_300_000_000n)];
  await rig.connect(here);
  await rig.connect(far);
  expect(far.spec).toMatchObject({ memory: 64 * 1024 ** 2, disk: 256 * 1024 ** 2, span_ms: 60_000, triggers: [{ name: "crash" }] });
  far.fires("camera crashed");
  const fired = rig.now();
  await complete(rig);
  expect(rig.incident).toMatchObject({
    triggers: [{ trigger: "crash", text: "camera crashed", host: "far", fired: 1 }],
    missing: [],
    hosts: [
      { host: "far", state: "merged", offset_ms: 1_300 },
      { host: "here", state: "merged", offset_ms: 0 },
    ],
  });
  const path = fileOf(rig);
  const { messages, metadata } = await readIndexed(path);
  for (const host of ["here", "far"]) {
    const times = messages.filter(({ topic }) => topic === `topic/${host}`).map(({ logTime }) => logTime);
    expect(times).toEqual(Array.from({ length: 21 }, (_, at) => fired - 2n * SECOND + BigInt(at) * 100_000_000n));
  }
  expect(metadata.find(({ name }) => name === "mgr.incident.host/far")?.values).toMatchObject({ offset_ns: "1300000000", missing: "[]" });
  expect(Number(metadata.find(({ name }) => name === "mgr.incident.host/far")?.values.uncertainty_ns)).toBeGreaterThan(0);
  expect(readMcap(readFileSync(path)).messages.length).toBe(42);
  // The hosts need not keep what is in the file.
  await expect.poll(() => here.parts.size + far.parts.size).toBe(0);
  await expect.poll(() => readdirSync(join(path, "..")).sort()).toEqual(["incident.json", "incident.mcap"]);
});

test("the clocks of all hosts are told as measured, also of those that are away", async () => {
  await using rig = await Rig.open();
  const far = rig.host("far", -5_500_000n);
  rig.host("never");
  await rig.connect(far);
  rig.lose(far);
  const [known, unknown] = rig.flight.clocks();
  expect(known).toMatchObject({ host: "far", offset_ms: -5.5 });
  expect(known?.uncertainty_ms).toBeGreaterThan(0);
  expect(unknown).toEqual({ host: "never", offset_ms: null, uncertainty_ms: null });
});

test("two hosts that notice something at the same moment make one incident, and no message is in it twice", async () => {
  await using rig = await Rig.open();
  const [here, far] = [rig.host("here"), rig.host("far")];
  for (const host of [here, far]) {
    host.isQuick = false;
    await rig.connect(host);
  }
  here.fires("one crashed");
  await rig.clock.advance(500);
  far.fires("two crashed");
  await expect.poll(() => here.parts.size + far.parts.size).toBe(4);
  for (const host of [here, far]) for (const id of host.parts.keys()) host.complete(id);
  await complete(rig);
  expect(rig.incident?.triggers.map(({ text }) => text)).toEqual(["one crashed", "two crashed"]);
  const { messages } = await readIndexed(fileOf(rig));
  const keys = messages.map(({ topic, logTime }) => `${topic} ${logTime}`);
  expect(new Set(keys).size).toBe(keys.length);
  // Two seconds before the first to the moment of the second, from both hosts.
  expect(keys.length).toBe(2 * 26);
});

test("a trigger that fires again after its part was merged is counted in its incident, also while its host is away", async () => {
  await using rig = await Rig.open();
  const here = rig.host("here");
  await rig.connect(here);
  const id = here.fires("one crashed");
  await complete(rig);
  await expect.poll(() => here.removed.size).toBe(1);
  const fired = () => rig.incident?.triggers.map((each) => each.fired);
  const saved = () => JSON.parse(readFileSync(join(fileOf(rig), "../incident.json"), "utf8")).triggers[0].fired;
  here.firesAgain(id);
  expect(fired()).toEqual([2]);
  await expect.poll(saved).toBe(2);
  rig.lose(here);
  here.firesAgain(id);
  await rig.connect(here);
  await expect.poll(fired).toEqual([3]);
  expect(rig.incident).toMatchObject({ state: "complete", missing: [], hosts: [{ state: "merged" }] });
  await rig.flight.delete(id, "admin");
  here.firesAgain(id);
  expect(rig.flight.list()).toEqual([]);
});

test("a trigger after the end of an incident begins another one", async () => {
  await using rig = await Rig.open();
  const here = rig.host("here");
  await rig.connect(here);
  here.fires("one crashed");
  await complete(rig);
  await rig.clock.advance(5_000);
  here.fires("two crashed");
  await expect
    .poll(() => rig.flight.list().map(({ state, triggers }) => [state, triggers[0]?.text]))
    .toEqual([
      ["complete", "two crashed"],
      ["complete", "one crashed"],
    ]);
});

test("a host that is away is named as missing, and adds its part when it is back", async () => {
  await using rig = await Rig.open();
  const [here, far] = [rig.host("here"), rig.host("far")];
  await rig.connect(here);
  here.fires("one crashed");
  await complete(rig);
  expect(rig.incident).toMatchObject({
    hosts: [{ state: "merged" }, { host: "far", state: "away" }],
    missing: [expect.stringContaining("far")],
  });
  const before = (await readIndexed(fileOf(rig))).messages.length;
  await rig.connect(far);
  await expect.poll(() => rig.incident?.hosts[1]?.state).toBe("merged");
  await complete(rig);
  expect(rig.incident?.missing).toEqual([]);
  const { messages } = await readIndexed(fileOf(rig));
  expect(messages.length).toBe(2 * before);
  const times = messages.map(({ logTime }) => logTime);
  expect(times).toEqual(times.toSorted((a, b) => (a < b ? -1 : 1)));
});

test("a link that is cut while a part is copied: the copy goes on where it ended", async () => {
  await using rig = await Rig.open();
  const here = rig.host("here");
  here.pieceBytes = 500;
  const reads: number[] = [];
  here.onRead = (from) => {
    reads.push(from);
    if (reads.length === 3) rig.lose(here);
  };
  await rig.connect(here);
  here.fires("one crashed");
  await expect.poll(() => rig.incident?.hosts[0]?.state).toBe("away");
  await rig.connect(here);
  await complete(rig);
  expect(reads.slice(0, 4)).toEqual([0, 500, 1_000, 1_000]);
  expect((await readIndexed(fileOf(rig))).messages.length).toBe(21);
});

test("a host that refuses is named with its reason", async () => {
  await using rig = await Rig.open();
  const [here, full] = [rig.host("here"), rig.host("full")];
  full.refusals.set("flight_keep", new MgrError("busy", "it keeps 50 parts already"));
  await rig.connect(here);
  await rig.connect(full);
  here.fires("one crashed");
  await complete(rig);
  expect(rig.incident).toMatchObject({
    hosts: [{ state: "merged" }, { host: "full", state: "absent", missing: ["it keeps 50 parts already"] }],
  });
});

test("a host that never finishes its part does not hold the incident for ever", async () => {
  await using rig = await Rig.open();
  const [here, slow] = [rig.host("here"), rig.host("slow")];
  slow.isQuick = false;
  await rig.connect(here);
  await rig.connect(slow);
  here.fires("one crashed");
  await expect.poll(() => slow.parts.size).toBe(1);
  await expect.poll(() => rig.incident?.hosts[0]?.state).toBe("collecting");
  await rig.clock.advance(130_000);
  await complete(rig);
  expect(rig.incident?.hosts[1]).toMatchObject({ state: "absent", missing: ["its part was not complete 120 s after the end"] });
});

test.each(["asked", "collecting", "merging"])(
  "a manager that is killed while it is %s: the next one completes the incident",
  async (moment) => {
    const first = await Rig.open({
      merge: moment === "merging" ? (_job, signal) => untilAborted(signal) : mergeMcap,
    });
    const [here, far] = [first.host("here"), first.host("far")];
    const hosts = [here, far];
    for (const host of hosts) await first.connect(host);
    far.isQuick = moment !== "asked";
    far.pieceBytes = 400;
    if (moment === "collecting")
      far.onRead = (from) => {
        if (from > 1_000) first.lose(far);
      };
    here.fires("one crashed");
    await expect.poll(() => far.parts.size).toBe(1);
    if (moment !== "asked") await expect.poll(() => readdirSync(join(first.dir, "incidents", first.incident?.id ?? "")).length).toBe(3);
    if (moment === "merging") await first.clock.settle();
    // Nothing of the first one runs any more; what it had on disk stays.
    for (const host of hosts) first.lose(host);
    await first.flight.close();
    far.onRead = null;
    await using next = await Rig.open({ dir: first.dir });
    for (const host of hosts) {
      host.joins(next);
      next.adds(host);
      await next.connect(host);
    }
    for (const id of far.parts.keys()) far.complete(id);
    await complete(next);
    expect(next.incident).toMatchObject({ triggers: [{ text: "one crashed" }], missing: [] });
    expect((await readIndexed(fileOf(next))).messages.length).toBe(42);
  },
);

test("a manager that is killed between writing the file and saying so does not add the parts twice", async () => {
  const first = await Rig.open();
  const here = first.host("here");
  await first.connect(here);
  here.fires("one crashed");
  await complete(first);
  const id = first.incident?.id ?? "";
  const folder = join(first.dir, "incidents", id);
  await first.flight.close();
  // The record tells of the new file, which was not renamed yet.
  const record = JSON.parse(readFileSync(join(folder, "incident.json"), "utf8"));
  writeFileSync(join(folder, "incident.mcap.new"), readFileSync(fileOf(first, id)));
  writeFileSync(fileOf(first, id), "old");
  writeFileSync(join(folder, "incident.json"), JSON.stringify({ ...record, is_replacing: true }));
  await using next = await Rig.open({ dir: first.dir });
  expect(next.incident).toMatchObject({ id, state: "complete" });
  expect((await readIndexed(fileOf(next))).messages.length).toBe(21);
  expect(existsSync(join(folder, "incident.mcap.new"))).toBe(false);
});

test("the last ones are kept, and those that are pinned; a deleted one does not come back with a host that was away", async () => {
  await using rig = await Rig.open({ flight: { keep: 2 } });
  const [here, far] = [rig.host("here"), rig.host("far")];
  await rig.connect(here);
  const ids: string[] = [];
  for (let count = 0; count < 4; count++) {
    ids.push(here.fires(`crash ${count}`));
    await expect.poll(() => rig.flight.list()[0]).toMatchObject({ id: ids[count], state: "complete" });
    if (count === 0) await rig.flight.pin(ids[0] ?? "", true, "ann");
    await rig.clock.advance(60_000);
  }
  await expect.poll(() => rig.flight.list().map(({ id }) => id)).toEqual([ids[3], ids[2], ids[0]]);
  await expect.poll(() => readdirSync(join(rig.dir, "incidents")).sort()).toEqual([ids[0], ids[2], ids[3], "deleted.json"].sort());
  await rig.flight.delete(ids[0] ?? "", "ann");
  expect(rig.removed).toEqual([ids[1], ids[0]]);
  // It had begun a part of its own while it was away, of an incident that is deleted here.
  far.parts.set(ids[0] ?? "", {
    bytes: Buffer.alloc(0),
    part: { ...partOf(ids[0] ?? ""), cause: { trigger: "crash", text: "x", at: "1" } },
  });
  await rig.connect(far);
  await expect.poll(() => far.parts.has(ids[0] ?? "")).toBe(false);
  expect(rig.flight.list().some(({ id }) => id === ids[0])).toBe(false);
  const said = rig.log.entries().map(({ msg }) => msg);
  expect(said).toContain(`'ann' pinned the incident ${ids[0]}`);
  expect(said).toContain(`'ann' deleted the incident ${ids[0]}`);
});

const partOf = (incident: string): FlightPart => ({
  incident,
  cause: null,
  fired: 1,
  state: "complete",
  problem: null,
  from: "0",
  until: "1",
  reaches: null,
  missing: [],
  messages: 0,
  size: 0,
});

test("a snapshot needs the flight recorder, asks all hosts, and is an incident of its own", async () => {
  await using off = await Rig.open({ flight: "none" });
  await expect(off.flight.keep({}, "ann")).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("add 'flight:'") });
  await using rig = await Rig.open();
  const here = rig.host("here");
  await rig.connect(here);
  here.fires("one crashed");
  const id = await rig.flight.keep({ note: "looks odd", before: 1_000, after: 0 }, "ann");
  await expect.poll(() => rig.flight.list().map(({ state }) => state)).toEqual(["complete", "complete"]);
  expect(rig.flight.list().find((each) => each.id === id)).toMatchObject({
    by: "ann",
    note: "looks odd",
    triggers: [{ trigger: "snapshot" }],
  });
  expect((await readIndexed(fileOf(rig, id))).messages.length).toBe(11);
  const { size, read } = await rig.flight.open(id);
  expect(Buffer.from(await read(0, size))).toEqual(readFileSync(fileOf(rig, id)));
});

test("a disk that cannot be written to is the incident's problem, and is tried again", async () => {
  let isFull = true;
  await using rig = await Rig.open({
    merge: async (job) => {
      if (isFull) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
      return mergeMcap(job);
    },
  });
  const here = rig.host("here");
  await rig.connect(here);
  here.fires("one crashed");
  await expect.poll(() => rig.incident?.problem).toMatch(/no space left on device\. Make room .*; it is tried again/);
  expect(here.parts.size).toBe(1);
  isFull = false;
  await rig.clock.advance(31_000);
  await complete(rig);
  expect(rig.incident).toMatchObject({ problem: null, hosts: [{ state: "merged" }] });
});

test("a folder that is no incident is left alone", async () => {
  await using rig = await Rig.open();
  mkdirSync(join(rig.dir, "incidents", "notes"));
  await using next = await Rig.open({ dir: rig.dir });
  expect(next.flight.list()).toEqual([]);
  expect(existsSync(join(rig.dir, "incidents", "notes"))).toBe(true);
});

test("an incident whose folder cannot be made names the problem, and is complete when it can be", async () => {
  await using rig = await Rig.open();
  const host = rig.host("here");
  await rig.connect(host);
  const folder = join(rig.dir, "incidents");
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "in the way");
  host.fires("arm crashed");
  await expect.poll(() => rig.incident?.problem).toMatch(/^it cannot be saved: /);
  rmSync(folder);
  await rig.clock.advance(31_000);
  await complete(rig);
  expect(rig.incident).toMatchObject({ problem: null, messages: 21 });
});
