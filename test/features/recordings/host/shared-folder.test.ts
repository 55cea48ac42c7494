import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Recording } from "../../../../src/features/recordings/host/recording.ts";
import { readMcap } from "../samples/mcap/independent-reader.ts";
import { RecordingRig } from "./recording-rig.ts";

/** Another daemon's recording in the folder of `rig`. */
function other(rig: RecordingRig, changes: Partial<ConstructorParameters<typeof Recording>[2]>): RecordingRig {
  return new RecordingRig({}, changes, rig.folder);
}

const sequencesOf = (folder: string, file: string) => readMcap(readFileSync(join(folder, file))).messages.map(({ sequence }) => sequence);

it.each([
  ["of another host", { host: "rt2" }],
  ["of another instance on the same host", { instance: "77777777-1111-4222-8333-444455556666" }],
])("a daemon %s that uses the same folder neither repairs nor removes the files of the first one", async (_which, changes) => {
  using rig = new RecordingRig({ max_files: 1 });
  await rig.start();
  rig.publish({ sequence: 1n });
  await rig.clock.advance(500);
  await expect.poll(() => rig.recording.isIdle, { timeout: 60_000 }).toBe(true);
  const [first = ""] = rig.files();
  const before = readFileSync(join(rig.folder, first));

  using second = other(rig, changes);
  await second.recording.open({ wasRecording: true, startedAt: null });
  await second.recording.completed;
  expect(readFileSync(join(rig.folder, first))).toEqual(before);
  expect(second.recording.report).toMatchObject({ state: "recording", files: [], messages: 0 });
  second.publish({ sequence: 7n });
  rig.publish({ sequence: 2n });
  await second.recording.stop();
  await rig.recording.stop();
  expect(rig.recording.report.files).toMatchObject([{ file: first, messages: 2 }]);
  expect(sequencesOf(rig.folder, first)).toEqual([1, 2]);
  const [theirs = ""] = second.recording.report.files.map(({ file }) => file);
  await second.recording.remove(null);
  expect(rig.files()).toEqual([first]);
  expect(theirs).not.toBe(first);
});

it("a daemon with a copy of the state folder of one that records is refused in the same folder, with a sentence", async () => {
  using rig = new RecordingRig();
  await rig.start();
  rig.publish({ sequence: 1n });
  using second = other(rig, {});
  await expect(second.start()).rejects.toThrow(
    /another daemon with a copy of the same state folder records there: set another record.path/,
  );
  await second.recording.open({ wasRecording: true, startedAt: null });
  await expect(second.recording.completed).rejects.toThrow(/another daemon/);
  expect(second.recording.report).toMatchObject({ state: "error", problem: expect.stringContaining("another daemon") });
  await rig.recording.stop();
  expect(rig.recording.report).toMatchObject({ messages: 1, dropped: 0, files: [{ messages: 1 }] });
});

it("a file of an earlier version, whose name has the host alone, belongs to this host; other files in the folder are left alone", async () => {
  using rig = new RecordingRig();
  await rig.start();
  rig.publish({ sequence: 1n });
  await rig.recording.stop();
  const [file = ""] = rig.files();
  const earlier = "20250101-000000.000-0001-rt1.mcap";
  cpSync(join(rig.folder, file), join(rig.folder, earlier));
  for (const name of ["notes.mcap", "20250101-000000.000-0001-my-rt1.mcap"]) writeFileSync(join(rig.folder, name), "not of this daemon");
  rig.recording.folder.release();
  using next = other(rig, {});
  await next.recording.open({ wasRecording: false, startedAt: null });
  await next.recording.completed;
  expect(next.recording.report.files.map((each) => each.file)).toEqual([earlier, file]);
  await next.recording.remove(null);
  expect(rig.files()).toEqual(["20250101-000000.000-0001-my-rt1.mcap", "notes.mcap"]);
});

it("a recording that is deleted leaves no folder", async () => {
  const parent = mkdtempSync(join(tmpdir(), "mgr-recording-"));
  try {
    using rig = new RecordingRig({}, {}, join(parent, "main"));
    await rig.start();
    rig.publish();
    await rig.recording.stop();
    await rig.recording.remove(null);
    expect(readdirSync(parent)).toEqual([]);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});
