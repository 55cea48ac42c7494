import { expect, test } from "vitest";
import { featureSnapshotFields } from "../../src/features/wire.ts";
import { encodeFrame, encodeInParts } from "../../src/protocol/frames/encode.ts";
import { EncodedProcesses, encodeProcesses } from "../../src/protocol/frames/encoded-processes.ts";
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

test("a snapshot of few processes is one part", () => {
  const frame = snapshotOf(Array.from({ length: 50 }, (_, index) => fakeProcess(`p${index}`)));
  for (const shared of [null, new EncodedProcesses()]) {
    const parts = [...encodeInParts(frame, shared)];
    expect(parts).toHaveLength(1);
    expect(JSON.parse(Buffer.concat(parts).toString())).toEqual(frame);
  }
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

const withState = (process: Process, state: Process["state"]): Process => ({ ...process, state });
const listIn = (parts: Buffer[]) => JSON.parse(`[${Buffer.concat(parts).toString()}]`) as Process[];

test("a list of all processes has each of them once and in order, whatever its length", () => {
  const shared = new EncodedProcesses();
  for (const length of [0, 1, 49, 50, 51, 100, 101, 7, 0, 150]) {
    const processes = Array.from({ length }, (_, index) => fakeProcess(`p${index}`));
    expect(listIn([...shared.parts(processes)])).toEqual(processes);
    expect(listIn([...encodeProcesses(processes)])).toEqual(processes);
  }
});

test("snapshots share the encoded parts in which no process has changed", () => {
  const shared = new EncodedProcesses();
  const before = Array.from({ length: 500 }, (_, index) => fakeProcess(`p${index}`));
  const after = before.map((process, index) => (index === 70 ? withState(process, "ready") : process));
  const [first, second] = [[...shared.parts(before)], [...shared.parts(after)]];
  expect(listIn(second)).toEqual(after);
  expect(second.map((part, index) => part === first[index])).toEqual(first.map((_, index) => index !== 1));
  expect([...shared.parts(after)].every((part, index) => part === second[index])).toBe(true);
});

test("two snapshots that are encoded at the same time each show their own moment", () => {
  const shared = new EncodedProcesses();
  const before = Array.from({ length: 300 }, (_, index) => fakeProcess(`p${index}`));
  const after = before.slice(0, 220).map((process) => withState(process, "ready"));
  const [older, newer] = [shared.parts(before), shared.parts(after)];
  const [sentOlder, sentNewer] = [[] as Buffer[], [] as Buffer[]];
  for (let turn = 0; turn < 7; turn++) {
    for (const [parts, sent] of [[older, sentOlder] as const, [newer, sentNewer] as const]) {
      const { value } = parts.next();
      if (value !== undefined) sent.push(value);
    }
  }
  expect(listIn(sentOlder)).toEqual(before);
  expect(listIn(sentNewer)).toEqual(after);
  expect(listIn([...shared.parts(after)])).toEqual(after);
});
