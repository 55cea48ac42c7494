import { expect, it } from "vitest";
import { versionNotes } from "../../../../src/features/upgrades/cli/version-note.ts";
import type { Snapshot } from "../../../../src/protocol/resources/resources.ts";

/** A manager of this version on the host `bench`, whose daemon may have another one. */
function clientOf(running: string, daemon: string | null) {
  const host_list = [
    { name: "robot", version: "0.0.1" },
    { name: "bench", version: daemon },
  ];
  return {
    request: async () => ({ type: "versions", ok: true, running, installed: running, problem: null }),
    snapshot: async () => ({ manager: { host: "bench" }, host_list }) as unknown as Snapshot,
  } as unknown as Parameters<typeof versionNotes>[0];
}

it("says which program runs another version than this one, and what replaces it", async () => {
  expect(await versionNotes(clientOf("0.2.0", "0.2.0"), "0.2.0")).toEqual([]);
  expect(await versionNotes(clientOf("0.2.0", null), "0.2.0")).toEqual([]);
  expect(await versionNotes(clientOf("0.1.0", "0.1.0"), "0.2.0")).toEqual([
    "this program is mgr 0.2.0, but the manager runs 0.1.0 and the daemon runs 0.1.0: 'mgr upgrade' replaces what runs, and processes keep running",
  ]);
  expect(await versionNotes(clientOf("0.2.0", "0.1.0"), "0.2.0")).toEqual([expect.stringContaining("but the daemon runs 0.1.0:")]);
});

it("says nothing if the manager does not know the request", async () => {
  const refused = { request: () => Promise.reject(new Error("unknown_action")), snapshot: () => Promise.reject(new Error("closed")) };
  expect(await versionNotes(refused)).toEqual([]);
});
