import { existsSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { RecordingOptions } from "../../../../src/features/recordings/host/recording.ts";
import { RecordingFolder } from "../../../../src/features/recordings/host/recording-folder.ts";
import { createFile } from "../../../../src/features/recordings/host/write-queue.ts";
import { INSTANCE, RecordingRig } from "./recording-rig.ts";

/** A recording with two messages on the disk. */
async function begun(options: Partial<RecordingOptions> = {}): Promise<{ rig: RecordingRig; path: string }> {
  const rig = new RecordingRig({}, options);
  await rig.start();
  for (const sequence of [1n, 2n]) rig.publish({ sequence });
  await rig.clock.advance(500);
  await expect.poll(() => rig.recording.isIdle, { timeout: 60_000 }).toBe(true);
  const [file = ""] = rig.files();
  return { rig, path: join(rig.folder, file) };
}

function replace(path: string): void {
  writeFileSync(`${path}.new`, "other");
  renameSync(`${path}.new`, path);
}

it.each([
  ["is removed", (path: string) => rmSync(path)],
  ["is replaced by another file", replace],
  ["is emptied", (path: string) => truncateSync(path)],
  ["is removed with its folder", (path: string) => rmSync(join(path, ".."), { recursive: true })],
])(
  "a file that %s while it is written is noticed within a second; what is lost is counted and another file begins",
  async (_what, harm) => {
    const { rig, path } = await begun();
    using _ = rig;
    harm(path);
    await rig.clock.advance(1_000);
    await expect.poll(() => rig.recording.report.dropped, { timeout: 60_000 }).toBe(2);
    expect(rig.recording.report).toMatchObject({
      state: "recording",
      problem: `${path} was removed or replaced by another program while it was being written: its 2 messages are lost`,
      messages: 0,
      topics: [{ name: "arm/state", messages: 0, dropped: 2 }],
    });
    for (let n = 0; n < 10; n++) await rig.clock.advance(500);
    rig.publish({ sequence: 3n });
    await rig.recording.stop();
    expect(rig.recording.report).toMatchObject({ state: "stopped", problem: null, messages: 1, missed: 0, dropped: 2 });
    expect(rig.recording.report.files).toMatchObject([{ messages: 1 }]);
    const [{ file = "" } = {}] = rig.recording.report.files;
    expect(rig.read(file).messages.map(({ sequence }) => sequence)).toEqual([3]);
    expect(rig.logged, rig.logged.join("\n")).toHaveLength(1);
  },
);

it("a file that is moved away while it is written is completed there, and nothing is lost", async () => {
  const { rig, path } = await begun();
  using _ = rig;
  const moved = join(rig.folder, "moved.mcap");
  renameSync(path, moved);
  await rig.clock.advance(1_000);
  await expect
    .poll(() => rig.recording.report.problem, { timeout: 60_000 })
    .toMatch(/was moved away .* its messages are in the moved file$/);
  rig.publish({ sequence: 3n });
  await rig.recording.stop();
  expect(rig.recording.report).toMatchObject({ messages: 3, dropped: 0, files: [{ messages: 1 }] });
  expect(rig.read("moved.mcap").messages.map(({ sequence }) => sequence)).toEqual([1, 2]);
});

it("a file that is removed right before the recording is stopped is reported", async () => {
  const { rig, path } = await begun();
  using _ = rig;
  rmSync(path);
  await rig.recording.stop();
  expect(rig.recording.report).toMatchObject({
    messages: 0,
    dropped: 2,
    files: [],
    problem: expect.stringContaining("its 2 messages are lost"),
  });
});

it("a folder that is removed while it is checked is made again", async () => {
  const { rig } = await begun();
  using _ = rig;
  const { folder } = rig.recording;
  for (let n = 0; n < 50; n++) {
    const made = folder.make();
    rmSync(rig.folder, { recursive: true });
    await made;
    // It may have been removed after the check.
    await folder.make();
    expect(existsSync(rig.folder)).toBe(true);
  }
  await rig.recording.stop();
});

it("a folder in a file system that makes none is refused, instead of being tried for ever", async () => {
  const folder = new RecordingFolder("/proc/mgr-none/a", { host: "rt1", instance: INSTANCE }, () => {});
  await expect(folder.make()).rejects.toThrow("ENOENT: no such file or directory, mkdir '/proc/mgr-none'");
});

it("a file in place of the folder ends the recording with a message, and one line in the log for each fault", async () => {
  const { rig, path } = await begun();
  using _ = rig;
  rmSync(rig.folder, { recursive: true });
  writeFileSync(rig.folder, "");
  for (let n = 0; n < 10; n++) {
    await rig.clock.advance(500);
    await expect.poll(() => rig.recording.report.dropped, { timeout: 60_000 }).toBe(2);
  }
  rig.publish({ sequence: 3n });
  await expect.poll(() => rig.recording.report.state, { timeout: 60_000 }).toBe("error");
  expect(rig.recording.report.problem).toMatch(/could not be written/);
  expect(new Set(rig.logged).size).toBe(rig.logged.length);
  expect(existsSync(path)).toBe(false);
});

it("files that are removed with the folder are removed from the list, also without new messages", async () => {
  const { rig } = await begun();
  using _ = rig;
  await rig.recording.stop();
  expect(rig.recording.report.files).toHaveLength(1);
  await rig.start();
  rmSync(rig.folder, { recursive: true });
  await rig.clock.advance(1_000);
  await expect.poll(() => rig.recording.report.files, { timeout: 60_000 }).toEqual([]);
  expect(rig.logged.join("\n")).toMatch(/was removed by another program, with 1 files/);
  mkdirSync(rig.folder, { recursive: true });
  await rig.recording.stop();
});

it("a file that begins while a lost one is handled is kept", async () => {
  let isHeld = false;
  let release = () => {};
  const dealtWith = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { rig, path } = await begun({
    open: async (file) => {
      if (isHeld) await dealtWith;
      return createFile(file);
    },
    changed: () => {
      if (isHeld) release();
    },
  });
  using _ = rig;
  let stopped: Promise<void> | null = null;
  rig.onLog = () => {
    isHeld = true;
    rig.publish({ sequence: 3n });
    stopped ??= rig.recording.stop();
  };
  renameSync(path, join(rig.folder, "moved.mcap"));
  await rig.clock.advance(1_000);
  await expect.poll(() => stopped, { timeout: 60_000 }).not.toBeNull();
  await stopped;
  expect(rig.recording.report).toMatchObject({ messages: 3, dropped: 0, files: [{ messages: 1 }] });
});
