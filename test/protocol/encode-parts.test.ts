import { expect, test } from "vitest";
import { featureSnapshotFields } from "../../src/features/wire.ts";
import { encodeFrame, encodeInParts } from "../../src/protocol/frames/encode.ts";
import type { ManagerFrame } from "../../src/protocol/frames/frames.ts";
import type { Process, ProcessTreeNode } from "../../src/protocol/resources/resources.ts";
import { fakeProcess } from "../support/fakes/fake-control.ts";

/** The fields of features; no list of theirs is long. */
const OF_FEATURES = Object.fromEntries(Object.keys(featureSnapshotFields).map((field) => [field, []])) as {
  readonly [F in keyof typeof featureSnapshotFields]: never[];
};

const snapshotOf = (processes: Process[]): Extract<ManagerFrame, { type: "snapshot" }> => ({
  type: "snapshot",
  webui_asset_hash: "hash",
  manager: { name: "bench", host: "rt1", save_problem: null },
  hosts: ["rt1"],
  host_list: [],
  start_tools: [{ value: null, label: "default" }],
  process_tree: processes.map(({ name }) => ({ type: "process", name })),
  processes,
  clients: [],
  vnc_sessions: [],
  log_min_level: "info",
  ...OF_FEATURES,
  request_id: "☃",
});

test("a frame that is not a snapshot is one part", () => {
  const frame: ManagerFrame = { type: "process_remove", name: "a" };
  expect([...encodeInParts(frame)]).toEqual([encodeFrame(frame)]);
});

test("a large snapshot is sent in parts that begin and end between processes; one without processes is whole", () => {
  const processes = Array.from({ length: 3_000 }, (_, index) => ({ ...fakeProcess(`all/p${index}`), command: "☃𝄞".repeat(20) }));
  const parts = [...encodeInParts(snapshotOf(processes))];
  expect(parts.length).toBeGreaterThan(20);
  // The first has what is neither a process nor the tree.
  expect(Math.max(...parts.slice(1).map((part) => part.length))).toBeLessThan(64 * 1024);
  expect(JSON.parse(Buffer.concat(parts).toString())).toEqual(snapshotOf(processes));
  expect(JSON.parse(Buffer.concat([...encodeInParts(snapshotOf([]))]).toString())).toEqual(snapshotOf([]));
});

test("a large tree is sent in parts, with its groups and their states", () => {
  const group = (name: string, children: ProcessTreeNode[]): ProcessTreeNode => {
    return { type: "group", name, display_name: name, opened: false, state: "stopped", children };
  };
  const members = Array.from({ length: 2_000 }, (_, index): ProcessTreeNode => ({ type: "process", name: `all/☃/p${index}` }));
  const frame = { ...snapshotOf([]), process_tree: [group("all", [group("all/empty", []), group("all/☃", members)]), group("none", [])] };
  const parts = [...encodeInParts(frame)];
  expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(64 * 1024);
  expect(JSON.parse(Buffer.concat(parts).toString())).toEqual(frame);
});

test("a cached process that has changed is sent in its current state", () => {
  const before = { ...fakeProcess("a"), state: "started" as const };
  const after = { ...before, state: "ready" as const };
  for (const process of [before, after, before])
    expect(JSON.parse(encodeFrame({ type: "process_upsert", process }).toString()).process).toEqual(process);
  expect(JSON.parse(Buffer.concat([...encodeInParts(snapshotOf([after]))]).toString()).processes).toEqual([after]);
});
