import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MgrError } from "../../../../src/base/errors.ts";
import { Downloads } from "../../../../src/features/recordings/manager/downloads.ts";
import { writeMerged } from "../../../../src/features/recordings/manager/merged-recording.ts";
import type { RecordedFileReader } from "../../../../src/features/recordings/manager/recordings.ts";
import { RecordingRig } from "../host/recording-rig.ts";
import { readMcap } from "../samples/mcap/independent-reader.ts";

// With the built worker, as in a download.

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-merged-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const never = new AbortController().signal;
const left = () => readdirSync(folder);

/** Downloads a recording of two hosts. */
function download(
  open: (host: string, file: string) => Promise<RecordedFileReader>,
  { downloads = new Downloads(folder, "recording"), signal = never, size = 10, minFreeSpace = 0 } = {},
) {
  const warnings: string[] = [];
  const files = ["rt1", "rt2"].map((host) => ({ host, file: `${host}.mcap`, size }));
  const file = downloads.write(signal, async (makeFolder, either) =>
    writeMerged({
      // Only these fields are used.
      recording: { name: "run", files: files as never },
      open,
      folder: await makeFolder(),
      minFreeSpace,
      warn: (msg) => warnings.push(msg),
      signal: either,
    }),
  );
  return { file, warnings };
}

it("the files of all hosts, also one that is still written, come as one, which leaves nothing behind", async () => {
  using rig = new RecordingRig();
  await rig.start();
  for (let n = 1; n <= 3; n++) rig.publish({ payload: Buffer.from(`{"n":${n}}`) });
  await rig.clock.advance(500);
  await rig.recording.quiet();
  const growing = readFileSync(join(rig.folder, rig.files()[0] ?? ""));
  rig.recording.resume();
  await rig.recording.stop();
  const whole = readFileSync(join(rig.folder, rig.files()[0] ?? ""));
  const asked: string[] = [];
  const { file, warnings } = download(async (host, name) => {
    asked.push(`${host} ${name}`);
    const bytes = host === "rt1" ? whole : growing;
    return { size: bytes.length, read: async (from, max) => bytes.subarray(from, from + Math.min(max, 100)) };
  });
  const { size, read, close } = await file;
  expect(left()).toEqual([]);
  const { messages, metadata } = readMcap(Buffer.from(await read(0, size)));
  expect(messages.map(({ data }) => String(data))).toEqual([1, 1, 2, 2, 3, 3].map((n) => `{"n":${n}}`));
  expect(metadata.find(({ name }) => name === "mgr.recording")?.values).toMatchObject({ recording: "run", damaged_files: "" });
  expect([asked, warnings]).toEqual([["rt1 rt1.mcap", "rt2 rt2.mcap"], []]);
  await close();
});

it("a host that is lost meanwhile ends the download with its reason, and nothing is left", async () => {
  const reason = new MgrError("host_unavailable", "host 'rt2' was lost");
  const { file } = download(async (host) => {
    if (host === "rt2") throw reason;
    return { size: 10, read: async () => new Uint8Array(10) };
  });
  await expect(file).rejects.toBe(reason);
  expect(left()).toEqual([]);
});

it("a client that disconnects ends the copying; two downloads run at a time", async () => {
  const downloads = new Downloads(folder, "recording");
  const gone = new AbortController();
  let begun = 0;
  const begin = () =>
    download(
      async () => {
        if (++begun === 2) gone.abort(new Error("the client has disconnected"));
        return { size: Number.MAX_SAFE_INTEGER, read: async () => new Uint8Array(10) };
      },
      { downloads, signal: gone.signal },
    ).file;
  const ends = Promise.allSettled([begin(), begin(), begin()]);
  const reasons = (await ends).map((each) => (each.status === "rejected" ? String(each.reason) : each.status));
  expect(reasons.filter((reason) => reason.includes("the client has disconnected"))).toHaveLength(2);
  expect(reasons.at(-1)).toContain("2 downloads of recordings are under way");
  expect(left()).toEqual([]);
});

it.each([
  ["twice the size of the files", { size: Number.MAX_SAFE_INTEGER / 8 }, /need \S+ \S+ beside min_free_space \(0 B\)/],
  ["as much as min_free_space", { minFreeSpace: Number.MAX_SAFE_INTEGER }, /need 40 B beside min_free_space/],
])("a disk without room for %s is left alone, with the reason", async (_what, options, reason) => {
  const { file } = download(async () => expect.fail("no host is asked"), options);
  await expect(file).rejects.toThrow(reason);
  expect(left()).toEqual([]);
});
