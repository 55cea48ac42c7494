import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { SmallDisk } from "../../../e2e/support/small-disk.ts";
import { readIndexed } from "../samples/mcap/indexed-reader.ts";
import { RecordingRig } from "./recording-rig.ts";

// A real file system of some MiB, and messages of 64 KiB until it is full, and further.

const MESSAGES = 300;
const MESSAGE_BYTES = 64 * 1024;
const body = Buffer.alloc(MESSAGE_BYTES, "x");

async function publishAll(rig: RecordingRig): Promise<number> {
  let published = 0;
  while (published < MESSAGES && rig.recording.isRecording) {
    rig.publish({ sequence: BigInt(++published), payload: body });
    // What waits for the disk would be dropped beyond 32 MiB.
    do await turn();
    while (!rig.recording.isIdle && rig.recording.isRecording);
  }
  return published;
}

async function sequencesOf(rig: RecordingRig): Promise<number[][]> {
  const found: number[][] = [];
  for (const file of rig.files()) found.push((await readIndexed(join(rig.folder, file))).messages.map(({ sequence }) => sequence));
  return found;
}

const from = (first: number, length: number) => Array.from({ length }, (_, index) => first + index);

it.each([8, 2])(
  "a disk of %i MiB that is full ends the recording with its reason, and an indexed reader opens all but its end",
  async (size) => {
    using rig = new RecordingRig({ on_full: "stop" });
    using _disk = new SmallDisk(rig.folder, size);
    await rig.start();
    const published = await publishAll(rig);
    expect(published).toBeLessThan(MESSAGES);
    await rig.recording.stop();
    expect(rig.recording.report).toMatchObject({ state: "error", problem: expect.stringMatching(/^the disk of .* is full/) });
    expect(rig.logged.join("\n")).toMatch(/was stopped: the disk of .* is full/);
    const [sequences = []] = await sequencesOf(rig);
    // Without what waited for the disk, and what made room for the index.
    expect(sequences.length).toBeGreaterThan((size * 2 ** 20) / MESSAGE_BYTES - 16);
    expect(sequences).toEqual(from(1, sequences.length));
    const [losses] = rig
      .read()
      .metadata.filter(({ name }) => name === "mgr.losses")
      .slice(-1);
    const dropped = published - sequences.length;
    expect(dropped).toBeGreaterThan(0);
    expect(rig.recording.report).toMatchObject({
      messages: sequences.length,
      missed: 0,
      dropped,
      topics: [{ messages: sequences.length, dropped }],
    });
    expect(losses?.values).toEqual({ "arm/state": JSON.stringify({ missed: 0, dropped }) });
  },
);

it("with delete_oldest the oldest files are deleted, and the newest messages are kept", async () => {
  using rig = new RecordingRig({ on_full: "delete_oldest", max_size: 1_000_000, max_files: 100 });
  using _disk = new SmallDisk(rig.folder, 8);
  await rig.start();
  expect(await publishAll(rig)).toBe(MESSAGES);
  expect(rig.recording.report).toMatchObject({ state: "recording", problem: null, dropped: 0 });
  await rig.recording.stop();
  expect(rig.recording.report).toMatchObject({ state: "stopped", problem: null });
  expect(rig.logged.join("\n")).toMatch(/removed the oldest file of the recording '.*' \((the disk is full|too little free space)\): /);
  const sequences = (await sequencesOf(rig)).flat();
  expect(sequences).toEqual(from(MESSAGES - sequences.length + 1, sequences.length));
});
