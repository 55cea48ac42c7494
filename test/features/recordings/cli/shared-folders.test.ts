import { expect, it } from "vitest";
import { loadConfigObject } from "../../../../src/config/load/load.ts";
import { sharedRecordingFolders } from "../../../../src/features/recordings/cli/shared-folders.ts";

const notes = (path: string, aliases: string[]) =>
  sharedRecordingFolders(
    loadConfigObject(
      { hosts: { rt1: { aliases }, rt2: { aliases: ["192.0.2.9"] } }, record: { path } },
      { base_dir: "/", state_dir: "/tmp/x" },
    ),
  );

it("mgr check names the host whose daemon records into the folder of the manager's own", () => {
  expect(notes("/data/rec", ["127.0.0.2"])).toEqual([
    expect.stringMatching(/^record\.path: the daemon of 'rt1' has an address of this machine and records to the same folder, \/data\/rec/),
  ]);
  expect(notes("/data/rec", ["192.0.2.1"])).toEqual([]);
  expect(notes("rec", ["127.0.0.2"])).toEqual([]);
});
