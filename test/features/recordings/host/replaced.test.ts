import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { KernelTimes } from "../../../../src/daemon/handover/kernel-times.ts";
import type { RecordingOptions } from "../../../../src/features/recordings/host/recording.ts";
import { recordingState } from "../../../../src/features/recordings/host/recording-state.ts";
import { createFile } from "../../../../src/features/recordings/host/write-queue.ts";
import { summaryOf } from "../../../../src/features/recordings/samples/mcap/file-summary.ts";
import { exec } from "../../../bus/handover/next-program.ts";
import { RecordingRig } from "./recording-rig.ts";

/** The same recording in the program that replaces that of `rig`, which nothing can be written with any more. */
function replaced(rig: RecordingRig, options?: Partial<RecordingOptions>): RecordingRig {
  const taken = exec({ handOver: () => rig.recording.handOver(new KernelTimes(rig.clock)) });
  const next = new RecordingRig({}, options, rig.folder);
  next.recording.adopt(recordingState.parse(taken.state), taken, new KernelTimes(next.clock));
  return next;
}

const handles: { close(): Promise<void> }[] = [];
/** As `createFile`; what the earlier program has open is closed after the test. */
const open: RecordingOptions["open"] = async (path) => {
  const file = await createFile(path);
  handles.push(file);
  return file;
};
afterEach(async () => {
  for (const handle of handles.splice(0)) await handle.close();
});

it("continues in the same file, with one index, and counts what is missing as one program would", async () => {
  using first = new RecordingRig({}, { open });
  await first.start();
  let rig = first;
  const definition = JSON.stringify({ title: "State", type: "object" });
  let received = 1_700_000_000_000_000_000n;
  const publish = (from: number, to: number) => {
    for (let n = from; n < to; n++) {
      received += 1_000n;
      // One message is missing in the second program.
      if (n !== 150) rig.publish({ topic: "arm/state", definition, received, sequence: BigInt(n), payload: Buffer.from(`{"n":${n}}`) });
      if (n % 10 === 0) rig.publish({ topic: `eye/${n}`, encoding: "raw", received, payload: Buffer.from([n]) });
    }
  };
  publish(1, 101);
  await rig.recording.quiet();
  // Of terminals, which are quiet later than recordings.
  publish(101, 111);
  rig = replaced(rig);
  publish(111, 201);
  await rig.recording.quiet();
  rig = replaced(rig);
  publish(201, 301);
  expect(rig.recording.report).toMatchObject({
    state: "recording",
    messages: 329,
    missed: 1,
    dropped: 0,
    files: [{ missed: 1, messages: 329 }],
  });
  await rig.recording.stop();
  expect(rig.files()).toHaveLength(1);
  const { messages, messageCount } = rig.read();
  const numbers = messages.filter(({ topic }) => topic === "arm/state").map(({ data }) => JSON.parse(String(data)).n);
  expect(numbers).toEqual(Array.from({ length: 300 }, (_, n) => n + 1).filter((n) => n !== 150));
  expect(Number(messageCount)).toBe(329);
  const summary = await summaryOf(join(rig.folder, rig.files()[0] ?? ""));
  expect(summary).toMatchObject({ messages: 329, isRepaired: false, times: { start: 1_700_000_000_000_001_000n, end: received } });
  expect(summary.topics).toHaveLength(31);
  expect(summary.topics.find(({ topic }) => topic === "arm/state")).toMatchObject({
    messages: 299,
    missed: 1,
    definitionName: "arm/state",
  });
  expect(rig.recording.report).toMatchObject({
    state: "stopped",
    messages: 329,
    files: [{ is_growing: false, messages: 329, is_repaired: false }],
  });
  expect([...first.logged, ...rig.logged]).toEqual([]);
});

it("a write that the disk has not confirmed is repeated at its place, and a disk that is too slow refuses the replacement", async () => {
  let isStuck = true;
  let noteStuck = () => {};
  const stuck = new Promise<void>((resolve) => {
    noteStuck = resolve;
  });
  const slow: RecordingOptions["open"] = async (path) => {
    const file = await createFile(path);
    handles.push(file);
    const half = async (pieces: readonly Uint8Array[], position: number) => {
      if (!isStuck) return file.writev(pieces, position);
      // Half of it reaches the disk, and the call does not return.
      const all = Buffer.concat(pieces);
      await file.writev([all.subarray(0, all.length / 2)], position);
      noteStuck();
      return new Promise<never>(() => {});
    };
    return {
      fd: file.fd,
      writev: half,
      truncate: (length) => file.truncate(length),
      stat: () => file.stat(),
      datasync: () => file.datasync(),
      close: () => file.close(),
    };
  };
  using first = new RecordingRig({}, { open: slow });
  await first.start();
  for (let n = 0; n < 100; n++) first.publish({ payload: Buffer.from(String(n)) });
  await stuck;
  const quiet = first.recording.quiet();
  await expect(first.clock.until(quiet)).rejects.toMatchObject({ code: "busy", message: expect.stringContaining("'trial'") });
  first.recording.resume();
  first.publish({ payload: Buffer.from("100") });
  const next = replaced(first);
  isStuck = false;
  next.publish({ payload: Buffer.from("101") });
  await next.recording.stop();
  expect(next.read().messages.map(({ data }) => Number(String(data)))).toEqual(Array.from({ length: 102 }, (_, n) => n));
});

it("goes on in the same program after an exec that failed, and begins files that are due", async () => {
  using rig = new RecordingRig({ max_size: 65_536 });
  await rig.start();
  rig.publish();
  await rig.recording.quiet();
  for (let n = 0; n < 3; n++) rig.publish({ payload: Buffer.alloc(40_000) });
  rig.recording.handOver(new KernelTimes(rig.clock));
  rig.recording.resume();
  rig.publish();
  rig.publish();
  await rig.recording.stop();
  expect(rig.files().map((file) => rig.read(file).messages.length)).toEqual([5, 1]);
});
