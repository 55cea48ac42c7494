import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { recordingReport } from "../../../../src/features/recordings/contract.ts";
import type { WritableFile } from "../../../../src/features/recordings/host/write-queue.ts";
import { readIndexed } from "../samples/mcap/indexed-reader.ts";
import { RecordingRig } from "./recording-rig.ts";

const full = () => Object.assign(new Error("no space left on device"), { code: "ENOSPC" });

/** Files of a disk that has `room` bytes in all; removed files give theirs back. */
function smallDisk(room: number) {
  const disk = { room };
  const openFile = async (path: string): Promise<WritableFile> => {
    const file = await open(path, "wx");
    return {
      fd: file.fd,
      async writev(pieces, position) {
        const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
        if (bytes > disk.room) throw full();
        disk.room -= bytes;
        return file.writev([...pieces], position);
      },
      truncate: (length) => file.truncate(length),
      stat: () => file.stat(),
      datasync: () => file.datasync(),
      close: () => file.close(),
    };
  };
  return { disk, openFile };
}

it("both readers find what was recorded: order, times, sequence, losses, and each definition that a topic had", async () => {
  using rig = new RecordingRig();
  await rig.start();
  rig.publish({ sequence: 1n, published: 5n, payload: Buffer.from('{"x":"größe 5 µm"}') });
  rig.publish({ sequence: 5n });
  rig.publish({ topic: "日本/Ω", encoding: "cdr", definition: "float64 x", definitionName: "a/msg/B", payload: Buffer.from([0, 1, 0, 0]) });
  rig.publish({ definition: '{"title":"later"}', definitionName: "later", sequence: 6n });
  rig.publish({ topic: "bytes", encoding: "raw", payload: Buffer.alloc(0) });
  expect(rig.recording.report).toMatchObject({ state: "recording", messages: 5, missed: 3, dropped: 0 });
  await rig.recording.stop();

  const [file = ""] = rig.files();
  const { messages, metadata, messageCount } = rig.read();
  expect(messageCount).toBe(5n);
  expect(messages.map(({ topic, schema, encoding }) => [topic, schema, encoding])).toEqual([
    ["arm/state", "arm/state", "json"],
    ["arm/state", "arm/state", "json"],
    ["日本/Ω", "a/msg/B", "cdr"],
    ["arm/state", "later", "json"],
    ["bytes", "", "raw"],
  ]);
  expect(messages[0]).toMatchObject({ sequence: 1, publishTime: 5n, data: Buffer.from('{"x":"größe 5 µm"}') });
  expect(metadata[0]).toMatchObject({ name: "mgr.recording", values: { recording: "trial", host: "rt1", part: "1" } });
  expect(metadata.at(-1)?.values["arm/state"]).toBe('{"missed":3,"dropped":0}');
  const indexed = await readIndexed(join(rig.folder, file));
  expect(indexed.messages.map(({ data }) => data.toString())).toEqual(messages.map(({ data }) => data.toString()));
  expect(indexed.channels.filter(({ topic }) => topic === "arm/state")).toHaveLength(2);
  expect(rig.recording.report.files).toEqual([
    expect.objectContaining({ file, messages: 5, topics: 3, missed: 3, is_growing: false, is_repaired: false }),
  ]);
});

it("losses are reported in numbers that the manager can read, whatever numbers a publisher claims", async () => {
  using rig = new RecordingRig();
  await rig.start();
  const highest = 9_999_999_999_999_999n;
  for (const sequence of [1n, highest, 1n, highest]) rig.publish({ sequence });
  expect(recordingReport.safeParse(rig.recording.report).error).toBeUndefined();
  expect(rig.recording.report).toMatchObject({ messages: 4, missed: Number.MAX_SAFE_INTEGER });
  await rig.recording.stop();
  expect(recordingReport.safeParse(rig.recording.report).error).toBeUndefined();
});

it("another file begins at max_size without losing a message, and max_files are kept", async () => {
  using rig = new RecordingRig({ max_size: 65_536, max_files: 3 });
  await rig.start();
  const payload = Buffer.alloc(10_000, 1);
  for (let n = 1; n <= 40; n++) rig.publish({ payload, sequence: BigInt(n) });
  await rig.recording.stop();
  expect(rig.files()).toHaveLength(3);
  const sequences = rig.files().flatMap((file) => rig.read(file).messages.map(({ sequence }) => sequence));
  expect(sequences).toEqual(Array.from({ length: sequences.length }, (_, n) => 40 - sequences.length + 1 + n));
  expect(rig.recording.report).toMatchObject({ messages: 40, missed: 0, dropped: 0 });
});

it("another file begins after max_duration, and only when there is something to write", async () => {
  using rig = new RecordingRig({ max_duration_ms: 2_000 });
  await rig.start();
  await rig.clock.advance(10_000);
  expect(rig.files()).toEqual([]);
  rig.publish({ sequence: 1n });
  for (let n = 0; n < 6; n++) await rig.clock.advance(500);
  rig.publish({ sequence: 2n });
  await rig.recording.stop();
  expect(rig.files().map((file) => rig.read(file).messages.map(({ sequence }) => sequence))).toEqual([[1], [2]]);
});

it("on a full disk with on_full: delete_oldest, older files make room and nothing of the newest is lost", async () => {
  const { disk, openFile } = smallDisk(3_000_000);
  using rig = new RecordingRig({ max_size: 1_000_000, on_full: "delete_oldest" }, { open: openFile });
  const remove = rig.recording.folder.remove.bind(rig.recording.folder);
  rig.recording.folder.remove = async (file) => {
    disk.room += 1_000_000;
    await remove(file);
  };
  await rig.start();
  for (let n = 1; n <= 500; n++) {
    rig.publish({ payload: Buffer.alloc(20_000, n), sequence: BigInt(n) });
    // The disk is slower than the loop: what waits for it is bounded, and would be dropped.
    if (n % 40 === 0) await expect.poll(() => rig.recording.isIdle, { timeout: 60_000 }).toBe(true);
  }
  await rig.recording.stop();
  expect(rig.recording.report).toMatchObject({ state: "stopped", problem: null, messages: 500, dropped: 0 });
  expect(
    rig.logged.some((line) => /removed the oldest file of the recording '.*' \((the disk is full|too little free space)\): /.test(line)),
  ).toBe(true);
  const sequences = rig.files().flatMap((file) => rig.read(file).messages.map(({ sequence }) => sequence));
  expect(sequences).toEqual(Array.from({ length: sequences.length }, (_, n) => 500 - sequences.length + 1 + n));
});

it("a recording stops before the disk is full: less than min_free_space is free", async () => {
  let free = 1_000;
  using rig = new RecordingRig({ min_free_space: 500 }, { freeSpace: async () => free });
  await rig.start();
  rig.publish();
  free = 499;
  await rig.clock.advance(500);
  await expect.poll(() => rig.recording.report.state, { timeout: 60_000 }).toBe("error");
  expect(rig.recording.report.problem).toContain("min_free_space");
  await rig.recording.stop();
  expect(rig.read().messages).toHaveLength(1);
  await expect(rig.start()).rejects.toThrow(/Make room there/);
});

it("messages that the disk cannot accept in time are dropped and counted, and later ones are recorded again", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { openFile } = smallDisk(Number.POSITIVE_INFINITY);
  using rig = new RecordingRig({}, { open: async (path) => held.then(() => openFile(path)) });
  await rig.start();
  const payload = Buffer.alloc(1024 * 1024);
  for (let n = 1; n <= 50; n++) rig.publish({ payload, sequence: BigInt(n) });
  const { dropped } = rig.recording.report;
  expect(dropped).toBeGreaterThan(10);
  release();
  await expect.poll(() => rig.recording.isIdle, { timeout: 60_000 }).toBe(true);
  rig.publish({ sequence: 51n });
  await rig.recording.stop();
  const { messages, metadata } = rig.read();
  expect(messages).toHaveLength(51 - dropped);
  expect(messages.at(-1)?.sequence).toBe(51);
  expect(metadata.at(-1)?.values["arm/state"]).toBe(`{"missed":0,"dropped":${dropped}}`);
});

it("a file is neither deleted while it is written nor found by a path", async () => {
  using rig = new RecordingRig();
  await rig.start();
  rig.publish();
  const [file = ""] = rig.recording.report.files.map((each) => each.file);
  await expect(rig.recording.remove(file)).rejects.toMatchObject({ code: "conflict" });
  await expect(rig.recording.remove("../x.mcap")).rejects.toMatchObject({ code: "not_found" });
  await rig.recording.stop();
  await rig.recording.remove(file);
  expect(rig.files()).toEqual([]);
});
